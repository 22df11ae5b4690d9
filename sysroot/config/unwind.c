/* The unwinder's interface without an unwinder, for a program that is built with panic=abort.
 *
 * Nothing is ever unwound in it; the standard library asks only for backtraces, which a stripped
 * program could not name. With this in place of the Rust target's libunwind the program is a tenth
 * smaller. A panic still prints its message and aborts. */

#include <stdint.h>

enum { URC_END_OF_STACK = 5 };

int _Unwind_Backtrace(void *callback, void *argument)
{
	(void)callback, (void)argument;
	return URC_END_OF_STACK;
}

int _Unwind_RaiseException(void *exception)
{
	(void)exception;
	return URC_END_OF_STACK;
}

void _Unwind_Resume(void *exception)
{
	(void)exception;
	__builtin_trap();
}

void _Unwind_DeleteException(void *exception) { (void)exception; }

/* What can be asked of a stack frame. No frame is ever handed out. */
uintptr_t _Unwind_GetCFA(void *frame) { (void)frame; return 0; }
uintptr_t _Unwind_GetDataRelBase(void *frame) { (void)frame; return 0; }
uintptr_t _Unwind_GetIP(void *frame) { (void)frame; return 0; }
uintptr_t _Unwind_GetIPInfo(void *frame, int *before) { (void)frame; *before = 0; return 0; }
uintptr_t _Unwind_GetLanguageSpecificData(void *frame) { (void)frame; return 0; }
uintptr_t _Unwind_GetRegionStart(void *frame) { (void)frame; return 0; }
uintptr_t _Unwind_GetTextRelBase(void *frame) { (void)frame; return 0; }
void *_Unwind_FindEnclosingFunction(void *address) { (void)address; return 0; }
void _Unwind_SetGR(void *frame, int number, uintptr_t value) { (void)frame, (void)number, (void)value; }
void _Unwind_SetIP(void *frame, uintptr_t value) { (void)frame, (void)value; }

#ifdef __arm__
/* The names of the ARM exception handling ABI: registers are asked for by one call, and every table
 * entry names one of three personalities. */
int _Unwind_VRS_Get(void *frame, int set, unsigned number, int form, uintptr_t *value)
{
	(void)frame, (void)set, (void)number, (void)form;
	*value = 0;
	return 0;
}

int _Unwind_VRS_Set(void *frame, int set, unsigned number, int form, const uintptr_t *value)
{
	(void)frame, (void)set, (void)number, (void)form, (void)value;
	return 0;
}

enum { URC_FAILURE = 9 };

int __gnu_unwind_frame(void *exception, void *frame) { (void)exception, (void)frame; return URC_FAILURE; }
int __aeabi_unwind_cpp_pr0(void) { return URC_FAILURE; }
int __aeabi_unwind_cpp_pr1(void) { return URC_FAILURE; }
int __aeabi_unwind_cpp_pr2(void) { return URC_FAILURE; }
#endif
