# The program `kyoho`, linked with the static libraries so that it runs from anywhere.
COMMAND := $(BUILD)/kyoho
COMMAND_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard src/command/*.c))

$(COMMAND): $(COMMAND_OBJECTS) $(BOTH_STATIC)
	$(CC) $(OPENMP_LINK) $(LDFLAGS) -o $@ $^ $(BOTH_LIBS)

-include $(COMMAND_OBJECTS:.o=.d)
