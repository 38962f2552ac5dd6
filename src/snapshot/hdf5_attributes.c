/* Attributes of groups and data sets, as numbers. Some codes write numbers as text. */
#ifdef KY_HAVE_HDF5
#include "snapshot/hdf5.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

int ky_hdf5_is_number(hid_t type)
{
    const H5T_class_t class = H5Tget_class(type);
    const size_t size = H5Tget_size(type), bits = 8 * size, precision = H5Tget_precision(type);
    const int offset = H5Tget_offset(type);
    size_t sign = 0, exponent = 0, exponent_bits = 1, mantissa = 0, mantissa_bits = 1;
    if ((class != H5T_INTEGER && class != H5T_FLOAT) || size < 1 || size > 16 || precision < 1 ||
        offset < 0 || (size_t)offset + precision > bits)
        return 0;
    if (class == H5T_FLOAT &&
        H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits) < 0)
        return 0;
    return sign < bits && exponent_bits >= 1 && exponent < bits &&
           exponent_bits <= bits - exponent && mantissa_bits >= 1 && mantissa < bits &&
           mantissa_bits <= bits - mantissa;
}

int ky_hdf5_can_list(hid_t object)
{
    return H5Aexists(object, "a name that no attribute has") >= 0;
}

int ky_hdf5_numbers(hid_t object, const char *name, hid_t type, int most, void *data)
{
    const htri_t is_there = object < 0 ? 0 : H5Aexists(object, name);
    if (is_there <= 0)
        return is_there < 0 ? -1 : 0;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t space = H5Aget_space(attribute), stored = H5Aget_type(attribute);
    hssize_t count = H5Sget_simple_extent_npoints(space);
    int result = -1;
    if (count >= 1 && count <= most && ky_hdf5_is_number(stored) &&
        H5Aread(attribute, type, data) >= 0)
        result = (int)count;
    H5Tclose(stored);
    H5Sclose(space);
    H5Aclose(attribute);
    return result;
}

double ky_hdf5_real(hid_t object, const char *name, double otherwise)
{
    double value;
    return ky_hdf5_numbers(object, name, H5T_NATIVE_DOUBLE, 1, &value) == 1 ? value : otherwise;
}

hid_t ky_hdf5_group(hid_t where, const char *name)
{
    H5L_info_t link;
    if (!strcmp(name, "/"))
        return H5Gopen2(where, name, H5P_DEFAULT);
    if (H5Lexists(where, name, H5P_DEFAULT) <= 0 ||
        H5Lget_info(where, name, &link, H5P_DEFAULT) < 0)
        return -1;
    /* the file driver knows only one file: a link out of it would lead back into it */
    return link.type == H5L_TYPE_EXTERNAL ? -1 : H5Gopen2(where, name, H5P_DEFAULT);
}

/* Reads a text of fixed length. For anything else *text says that it is neither a number nor a
 * short text. Texts of variable length are not read, because the library crashes if their heap is
 * damaged. */
static void read_text(hid_t object, const char *name, char text[KY_HDF5_TEXT])
{
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    hid_t space = H5Aget_space(attribute);
    memset(text, 0, KY_HDF5_TEXT);
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 ||
        H5Tget_size(type) >= KY_HDF5_TEXT || H5Sget_simple_extent_npoints(space) != 1 ||
        H5Aread(attribute, type, text) < 0)
        strcpy(text, "neither a number nor a short text");
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
}

/* The largest of the values, as for the sides of a box. If any is negative or not finite, the first
 * such value. */
static double one_of(const double *values, int count)
{
    double result = values[0];
    for (int k = 1; k < count; k++)
        if (isfinite(result) && result >= 0 && !(values[k] >= 0 && values[k] <= result))
            result = values[k];
    return result;
}

struct ky_hdf5_told ky_hdf5_tell(hid_t object, const char *name)
{
    struct ky_hdf5_told told = {.number = (double)NAN};
    double values[3];
    char *end;
    int count = ky_hdf5_numbers(object, name, H5T_NATIVE_DOUBLE, 3, values);
    told.is_there = count != 0;
    if (count > 0) {
        told.number = one_of(values, count);
        ky_format(told.text, sizeof told.text, "%.9g", told.number);
    } else if (count < 0) {
        read_text(object, name, told.text);
        double number = ky_number_real(told.text, &end);
        if (end != told.text && !end[strspn(end, " ")])
            told.number = number;
    }
    return told;
}

struct ky_hdf5_told ky_hdf5_tell_in(hid_t file, const char *group, const char *name)
{
    hid_t at = ky_hdf5_group(file, group);
    struct ky_hdf5_told told = ky_hdf5_tell(at, name);
    ky_hdf5_close_group(at);
    return told;
}

enum ky_status ky_hdf5_no_number(const char *group, const char *name,
                                 const struct ky_hdf5_told *told, struct ky_error *error)
{
    return ky_fail(error, KY_BAD_DATA, "/%s: %s is %s; it must be a number",
                   strcmp(group, "/") != 0 ? group : "", name, told->text);
}

void ky_hdf5_close_group(hid_t group)
{
    if (group >= 0)
        H5Gclose(group);
}
#else
typedef int ky_hdf5_is_absent;
#endif
