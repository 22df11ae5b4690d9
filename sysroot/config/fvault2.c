/* In place of cryptsetup's lib/fvault2/fvault2.c: a machine that boots Linux has no FileVault2 volume
 * of macOS to wait for, and reading its XML is all that would link musl's regular expressions and
 * tables of wide characters, 55 kB. Whoever asks for one is told that it is not supported. */

#include <errno.h>
#include <stddef.h>

struct device;
#include "fvault2/fvault2.h"

int FVAULT2_read_metadata(struct crypt_device *cd, struct fvault2_params *params)
{
	(void)cd, (void)params;
	return -ENOTSUP;
}

int FVAULT2_get_volume_key(struct crypt_device *cd, const char *passphrase, size_t passphrase_len,
			   const struct fvault2_params *params, struct volume_key **r_vol_key)
{
	(void)cd, (void)passphrase, (void)passphrase_len, (void)params;
	*r_vol_key = NULL;
	return -ENOTSUP;
}

int FVAULT2_dump(struct crypt_device *cd, struct device *device, const struct fvault2_params *params)
{
	(void)cd, (void)device, (void)params;
	return -ENOTSUP;
}

int FVAULT2_activate_by_volume_key(struct crypt_device *cd, const char *name, struct volume_key *vk,
				   const struct fvault2_params *params, uint32_t flags)
{
	(void)cd, (void)name, (void)vk, (void)params, (void)flags;
	return -ENOTSUP;
}

/* No key has this size. */
size_t FVAULT2_volume_key_size(void)
{
	return 0;
}
