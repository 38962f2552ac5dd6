/* JSON: see json.h. */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>

#include "base/number.h"
#include "base/text.h"
#include "kyoho/kyoho.h"

/* Bytes that are not UTF-8 become U+FFFD, the replacement character. */
static void quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (int length; *text; text += length) {
        unsigned char c = (unsigned char)*text;
        length = ky_utf8_length(text);
        if (!length) {
            fputs("\\ufffd", out);
            length = 1;
        } else if (c == '"' || c == '\\') {
            fprintf(out, "\\%c", c);
        } else if (c < 0x20) {
            fprintf(out, "\\u%04x", c);
        } else {
            fwrite(text, 1, (size_t)length, out);
        }
    }
    fputc('"', out);
}

/* Writes the prefix of a value: comma, line, indent and name. */
static void begin(struct ky_json *json, const char *name)
{
    if (json->filled)
        fputc(',', json->out);
    if (json->depth)
        fprintf(json->out, "\n%*s", 2 * json->depth, "");
    if (name) {
        quoted(json->out, name);
        fputs(": ", json->out);
    }
    json->filled = 1;
}

static void open(struct ky_json *json, const char *name, char bracket)
{
    begin(json, name);
    fputc(bracket, json->out);
    json->depth++;
    json->filled = 0;
}

static void end(struct ky_json *json, char bracket)
{
    json->depth--;
    if (json->filled)
        fprintf(json->out, "\n%*s", 2 * json->depth, "");
    fputc(bracket, json->out);
    json->filled = 1;
    if (!json->depth)
        fputc('\n', json->out);
}

void ky_json_object(struct ky_json *json, const char *name)
{
    open(json, name, '{');
}

void ky_json_array(struct ky_json *json, const char *name)
{
    open(json, name, '[');
}

void ky_json_end_object(struct ky_json *json)
{
    end(json, '}');
}

void ky_json_end_array(struct ky_json *json)
{
    end(json, ']');
}

void ky_json_text(struct ky_json *json, const char *name, const char *text)
{
    begin(json, name);
    if (text)
        quoted(json->out, text);
    else
        fputs("null", json->out);
}

static void real(FILE *out, double value)
{
    char text[KY_NUMBER_TEXT];
    fputs(isfinite(value) ? ky_number_text(text, value) : "null", out);
}

void ky_json_real(struct ky_json *json, const char *name, double value)
{
    begin(json, name);
    real(json->out, value);
}

void ky_json_integer(struct ky_json *json, const char *name, int64_t value)
{
    begin(json, name);
    fprintf(json->out, "%" PRId64, value);
}

void ky_json_count(struct ky_json *json, const char *name, uint64_t value)
{
    begin(json, name);
    fprintf(json->out, "%" PRIu64, value);
}

void ky_json_flag(struct ky_json *json, const char *name, int value)
{
    begin(json, name);
    fputs(value ? "true" : "false", json->out);
}

void ky_json_null(struct ky_json *json, const char *name)
{
    begin(json, name);
    fputs("null", json->out);
}

void ky_json_vector(struct ky_json *json, const char *name, const double *values, size_t count)
{
    begin(json, name);
    fputc('[', json->out);
    for (size_t k = 0; k < count; k++) {
        fputs(k ? ", " : "", json->out);
        real(json->out, values[k]);
    }
    fputc(']', json->out);
}

void ky_json_units(struct ky_json *json, const struct ky_units *units)
{
    ky_json_object(json, "units");
    ky_json_real(json, "length_cm", units->length_cm);
    ky_json_real(json, "mass_g", units->mass_g);
    ky_json_real(json, "velocity_cm_s", units->velocity_cm_s);
    ky_json_real(json, "g", units->g);
    ky_json_end_object(json);
}
