# The program `kyoho`, linked with the static library so that it runs from anywhere.
COMMAND := $(BUILD)/kyoho
COMMAND_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(wildcard src/command/*.c))

$(COMMAND): $(COMMAND_OBJECTS) $(STATIC)
	$(CC) $(OPENMP_LINK) $(LDFLAGS) -o $@ $^ $(LIBS_ALL)

-include $(COMMAND_OBJECTS:.o=.d)
