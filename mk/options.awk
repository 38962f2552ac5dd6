# Writes docs/options.md from files named after the commands, each with the output of `kyoho help COMMAND --all`. An option
# stands once, with the commands that have it. Where commands explain an option differently, each text names its commands.

# Ends an option: lists its lines unless they are listed, and adds the command to the commands that have it.
function end_option() {
    if (!text) return
    if (!(text in commands)) {
        if (!(title in count)) titles[++groups] = title
        option[title, ++count[title]] = text
        commands[text] = command
    } else
        commands[text] = commands[text] ", " command
    text = ""
}

# The commands that most options of a group have.
function usual(title,    k, list, times, best) {
    for (k = 1; k <= count[title]; k++) {
        list = commands[option[title, k]]
        if (++times[list] > times[best]) best = list
    }
    return best
}

function named(list) { return list == all ? "all commands" : list }

# "[run, force]" below an option.
function print_commands(list,    words, n, k, line) {
    n = split("[" list "]", words, " ")
    line = sprintf("%33s", "")
    for (k = 1; k <= n; k++) {
        if (length(line) + length(words[k]) > 99) {
            print line
            line = sprintf("%33s", "")
        }
        line = line " " words[k]
    }
    print line
}

# A group: its usual commands, then its options, with the commands of each option that has others.
function print_group(title, most,    k, list) {
    printf "\n## %s\n\nCommands: %s.\n\n```text\n", title, named(most)
    for (k = 1; k <= count[title]; k++) {
        list = commands[option[title, k]]
        printf "%s", option[title, k]
        if (list != most) print_commands(named(list))
    }
    print "```"
}

FNR == 1 {
    end_option()
    command = FILENAME
    sub(/.*\//, "", command)
    all = all (all ? ", " : "") command
    title = ""
    is_after = 0
}
/^[a-z ]+:$/ { end_option(); title = substr($0, 1, length($0) - 1); next }
/^[^ ]/ && title { end_option(); is_after = 1 } # a text below the options
is_after || title == "examples" { next }
!title && /^$/ { next }
!title { head = head (sub(/^usage: /, "") || /^ / ? "" : "      ") $0 "\n"; next }
match($0, /[^ ]/) && RSTART < 8 { end_option() }
/./ { text = text $0 "\n" }

END {
    end_option()
    print "# Every option\n\nAll options, for reference; [command.md](command.md) explains the commands. `make docs` writes this page from"
    print "`kyoho help COMMAND --all`. An option is listed once for each of its meanings, with its values, unit in square brackets, and default. A group"
    print "begins with the commands that have its options; an option that other commands have names them in square brackets, below its text.\n"
    print "## Commands\n\n```text\n" head "```"
    for (k = 1; k <= groups; k++)
        if (titles[k] != "general") print_group(titles[k], usual(titles[k]))
    print_group("general", usual("general"))
}
