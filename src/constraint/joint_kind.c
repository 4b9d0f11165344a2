#include "constraint/joint_kind.h"

#include <string.h>

const joint_kind joint_kinds[] = {
#define JOINT_KIND(name, holds, has, doc) {name, holds, has, doc},
#include "constraint/joint_kind_list.h"
    {0}};

const char *const joint_kind_words[] = {
#define JOINT_KIND(name, holds, has, doc) name,
#include "constraint/joint_kind_list.h"
    0};

int joint_kind_named(const char *name)
{
    for (int k = 0; joint_kinds[k].name; k++)
        if (strcmp(joint_kinds[k].name, name) == 0) return k;
    return -1;
}
