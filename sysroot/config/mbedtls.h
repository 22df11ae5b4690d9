/* What libcryptsetup's mbedtls backend calls, and no more: its hashes, AES, PBKDF2, CCM (BitLocker) and
 * the random generator. Replaces mbedtls_config.h.
 *
 * Without ARIA, Camellia and the modes CFB, CTR and OFB: 14 kB that no format needs. Keyslots in
 * those ciphers are read as those are that mbedtls has never known (Serpent, Camellia-XTS): through
 * the kernel's dm-crypt, by which the volume itself is read. TrueCrypt and VeraCrypt have Camellia
 * only as XTS, which mbedtls gives to AES alone. */

/* The processor's AES instructions where it has them, found at run time. */
#define MBEDTLS_HAVE_ASM
#define MBEDTLS_AESNI_C
#define MBEDTLS_AESCE_C

#define MBEDTLS_AES_C
#define MBEDTLS_CIPHER_C
#define MBEDTLS_CIPHER_MODE_CBC
#define MBEDTLS_CIPHER_MODE_XTS
#define MBEDTLS_CCM_C

#define MBEDTLS_MD_C
#define MBEDTLS_RIPEMD160_C
#define MBEDTLS_SHA1_C
#define MBEDTLS_SHA224_C
#define MBEDTLS_SHA256_C
#define MBEDTLS_SHA384_C
#define MBEDTLS_SHA512_C
#define MBEDTLS_PKCS5_C

#define MBEDTLS_CTR_DRBG_C
#define MBEDTLS_ENTROPY_C

#define MBEDTLS_PLATFORM_C
#define MBEDTLS_VERSION_C
