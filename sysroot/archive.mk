# One static archive out of two lists of C files that differ in the optimisation.
# Called by archive() in part/compiler.sh, which says what the variables are.
LEVEL = $(SMALL_LEVEL)

$(OUT): $(patsubst %,o/%.o,$(SMALL) $(FAST))
	rm -f $@
	$(AR) rcs $@ $^

$(patsubst %,o/%.o,$(FAST)): LEVEL = $(FAST_LEVEL)

o/%.o: $(FROM)/%.c
	@mkdir -p $(@D)
	$(CC) $(LEVEL) $(FLAGS) -c $< -o $@
