/* The reader of JSON: values, escapes, and text that it refuses. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"

static struct ky_error error;
static char told[1024];

static enum ky_status note(void *context, const struct ky_json_told *member,
                           struct ky_error *failure)
{
    (void)context, (void)failure;
    size_t used = strlen(told);
    snprintf(told + used, sizeof told - used, "%s.%s=%s;", member->object, member->name,
             member->text);
    return KY_OK;
}

/* Reads text in memory of its own, so that a sanitizer sees an access beyond it. */
static enum ky_status parse(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    memcpy(copy, text, size);
    told[0] = '\0';
    enum ky_status status = ky_json_read(copy, "file", note, NULL, &error);
    free(copy);
    return status;
}

static void members_are_handed_on(void **state)
{
    (void)state;
    static const struct {
        const char *text, *told;
    } cases[] = {
        {"{}", ""},
        {" \n{ \"a\" : 1 , \"b\":-2.5e-3}\n", ".a=1;.b=-2.5e-3;"},
        {"\xef\xbb\xbf{\"a\":true,\"b\":false,\"c\":null}", ".a=yes;.b=no;"},
        {"{\"o\":{\"x\":1,\"p\":{\"y\":2},\"z\":[3,{\"q\":4},[]]},\"l\":[{\"a\":1}],\"e\":{}}",
         "o.x=1;"},
        {"{\"a\":\"q\\\"\\\\\\/\\b\\f\\n\\r\\t\"}", ".a=q\"\\/\b\f\n\r\t;"},
        {"{\"a\":\"\\u0041\\u00e9\\u20ac\\ud83c\\udf47\"}",
         ".a=A\xc3\xa9\xe2\x82\xac\xf0\x9f\x8d\x87;"},
        {"{\"\":\"\",\"b\":18446744073709551615}", ".=;.b=18446744073709551615;"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_ok(parse(cases[k].text));
        assert_string_equal(told, cases[k].told);
    }
}

static void what_is_no_json_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "x",
                                        "[]",
                                        "{",
                                        "{\"",
                                        "{\"a",
                                        "{\"a\"",
                                        "{\"a\":",
                                        "{\"a\":1",
                                        "{\"a\":1,",
                                        "{\"a\":1,}",
                                        "{a:1}",
                                        "{\"a\" 1}",
                                        "{\"a\":}",
                                        "{\"a\":+1}",
                                        "{\"a\":.5}",
                                        "{\"a\":1x}",
                                        "{\"a\":1e}",
                                        "{\"a\":tru}",
                                        "{\"a\":nan}",
                                        "{\"a\":0x1}",
                                        "{\"a\":\"\\x\"}",
                                        "{\"a\":\"\\",
                                        "{\"a\":\"\\u12\"}",
                                        "{\"a\":\"\\u0000\"}",
                                        "{\"a\":\"\\ud800\"}",
                                        "{\"a\":\"\\udc00\\ud800\"}",
                                        "{\"a\":\"b\nc\"}",
                                        "{\"a\":[1,]}",
                                        "{\"a\":[1",
                                        "{\"a\":1}}",
                                        "{\"a\":1} {}",
                                        "{\"a\":1;}",
                                        "{\"a\":-}",
                                        "{\"a\":--1}"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        if (parse(texts[k]) != KY_USAGE || strncmp(error.text, "file, line ", 11) != 0)
            fail_msg("'%s' is not refused: %s", texts[k], error.text);
    assert_int_equal(parse("{\n\"a\": 1,\n\"b\": x}"), KY_USAGE);
    assert_non_null(strstr(error.text, "line 3"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_handed_on),
        cmocka_unit_test(what_is_no_json_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
