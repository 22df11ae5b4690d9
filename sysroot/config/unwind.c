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
