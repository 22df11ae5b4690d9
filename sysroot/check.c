/* check FILE PASSPHRASE: opens a header without activating anything, and exits with 0 when the
 * passphrase fits, 2 when it does not, 1 on any other answer. See sysroot/check. */

#include <errno.h>
#include <libcryptsetup.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	struct crypt_device *device;
	int answer;

	if (argc != 3)
		return 1;
	answer = crypt_init(&device, argv[1]);
	if (answer < 0) {
		fprintf(stderr, "crypt_init: %s\n", strerror(-answer));
		return 1;
	}
	answer = crypt_load(device, NULL, NULL);
	if (answer < 0) {
		fprintf(stderr, "crypt_load: %s\n", strerror(-answer));
		return 1;
	}
	answer = crypt_activate_by_passphrase(device, NULL, CRYPT_ANY_SLOT, argv[2], strlen(argv[2]), 0);
	crypt_free(device);
	if (answer < 0 && answer != -EPERM)
		fprintf(stderr, "crypt_activate_by_passphrase: %s\n", strerror(-answer));
	return answer >= 0 ? 0 : answer == -EPERM ? 2 : 1;
}
