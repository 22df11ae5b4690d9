
/* From here on: ciphers of mbed TLS, and of the kernel (AF_ALG) where mbed TLS has none. Headers of TrueCrypt and
 * VeraCrypt may be Serpent's or Twofish's, and nothing tells before all are tried. What stands above is
 * cryptsetup's lib/crypto_backend/crypto_mbedtls.c with its functions renamed by library_cryptsetup(). */

struct crypt_cipher {
	struct own_cipher *own; /* NULL: it is the kernel's. */
	struct crypt_cipher_kernel kernel;
};

int crypt_cipher_init(struct crypt_cipher **out, const char *name, const char *mode, const void *key,
		      size_t key_length)
{
	struct crypt_cipher *cipher = calloc(1, sizeof(*cipher));
	int result;

	if (!cipher)
		return -ENOMEM;
	result = own_cipher_init(&cipher->own, name, mode, key, key_length);
	if (result == -ENOENT) {
		cipher->own = NULL;
		result = crypt_cipher_init_kernel(&cipher->kernel, name, mode, key, key_length);
	}
	if (result < 0) {
		free(cipher);
		return result;
	}
	*out = cipher;
	return 0;
}

void crypt_cipher_destroy(struct crypt_cipher *cipher)
{
	if (cipher->own)
		own_cipher_destroy(cipher->own);
	else
		crypt_cipher_destroy_kernel(&cipher->kernel);
	free(cipher);
}

int crypt_cipher_encrypt(struct crypt_cipher *cipher, const char *in, char *out, size_t length, const char *iv,
			 size_t iv_length)
{
	if (cipher->own)
		return own_cipher_encrypt(cipher->own, in, out, length, iv, iv_length);
	return crypt_cipher_encrypt_kernel(&cipher->kernel, in, out, length, iv, iv_length);
}

int crypt_cipher_decrypt(struct crypt_cipher *cipher, const char *in, char *out, size_t length, const char *iv,
			 size_t iv_length)
{
	if (cipher->own)
		return own_cipher_decrypt(cipher->own, in, out, length, iv, iv_length);
	return crypt_cipher_decrypt_kernel(&cipher->kernel, in, out, length, iv, iv_length);
}

bool crypt_cipher_kernel_only(struct crypt_cipher *cipher)
{
	return !cipher->own;
}
