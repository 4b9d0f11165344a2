/* steps.csv and run.json. */
#include "test.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "output/summary.h"
#include "output/table.h"
#include "output/table_names.h"

#include <jansson.h>
#include <locale.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static char folder[64], path[100];

static step_row make_row(int64_t step)
{
    random_state r = {(uint64_t)step};
    step_row row = {.step = step, .time = 0.01 * (double)step, .newton_iterations = 3 + step};
    row.friction_iterations = 1;
    row.contact_count = (int64_t)random_below(&r, 1000);
    double *reals[] = {&row.wall_seconds,
                       &row.kappa,
                       &row.kinetic,
                       &row.elastic,
                       &row.gravity,
                       &row.contact_energy,
                       &row.linear_momentum.x,
                       &row.linear_momentum.y,
                       &row.linear_momentum.z,
                       &row.angular_momentum.x,
                       &row.angular_momentum.y,
                       &row.angular_momentum.z,
                       &row.max_stretch,
                       &row.mean_stretch,
                       &row.min_stretch,
                       &row.mean_compression,
                       &row.potential,
                       &row.unknowns,
                       &row.splits,
                       &row.collapses,
                       &row.swaps,
                       &row.smoothings,
                       &row.friction_not_converged,
                       &row.joint_violation};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) *reals[i] = random_range(&r, -1, 1);
    row.min_distance = step == 2 ? INFINITY : 1e-300 / 3.0;
    return row;
}

static void append_rows(step_table *table, int64_t from, int64_t to)
{
    abut_error err;
    for (int64_t step = from; step <= to; step++) {
        step_row row = make_row(step);
        CHECK_OK(table_append(table, &row, &err), err);
    }
}

static void check_rows(int64_t expected)
{
    abut_error err;
    step_row *rows;
    size_t count;
    CHECK_OK(table_read(path, &rows, &count, &err), err);
    CHECK(count == (size_t)expected);
    for (size_t i = 0; i < count; i++) {
        step_row row = make_row((int64_t)i + 1);
        CHECK(memcmp(&row, &rows[i], sizeof row) == 0); /* every bit */
    }
    mem_free(rows);
}

TEST(rows_come_back_bit_for_bit)
{
    abut_error err;
    step_table table;
    CHECK_OK(table_open(&table, path, TABLE_NEW, &err), err);
    append_rows(&table, 1, 5);
    check_rows(5); /* flushed after each row, before the table is closed */
    CHECK_OK(table_close(&table, &err), err);
    file_bytes bytes;
    CHECK_OK(file_read(path, &bytes, &err), err);
    CHECK(strncmp(bytes.data,
                  "step,time,wall_seconds,newton_iterations,friction_iterations,contact_count,"
                  "min_distance,kappa,kinetic,elastic,gravity,contact_energy,linear_momentum_x,",
                  150) == 0);
    file_free(&bytes);
}

/* A program that uses the library may have set a locale with decimal commas. */
TEST(the_locale_does_not_matter)
{
    abut_error err;
    step_table table;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8")) {
        printf("no locale with decimal commas is installed\n");
        return;
    }
    CHECK_OK(table_open(&table, path, TABLE_NEW, &err), err);
    append_rows(&table, 1, 3);
    CHECK_OK(table_close(&table, &err), err);
    check_rows(3);
    setlocale(LC_NUMERIC, "C");
    check_rows(3);
}

TEST(a_resumed_table_equals_an_unbroken_one)
{
    abut_error err;
    step_table table;
    file_bytes whole, again;
    CHECK_OK(table_open(&table, path, TABLE_NEW, &err), err);
    append_rows(&table, 1, 9);
    CHECK_OK(table_close(&table, &err), err);
    CHECK_OK(file_read(path, &whole, &err), err);
    char *copy = mem_alloc(whole.size, 1);
    size_t size = whole.size;
    memcpy(copy, whole.data, size);
    file_free(&whole);
    /* The crash left half a row; the checkpoint is of step 6. */
    FILE *f = fopen(path, "ab");
    fputs("10,0.1,3", f);
    fclose(f);
    CHECK_OK(table_open(&table, path, 6, &err), err);
    check_rows(6);
    append_rows(&table, 7, 9);
    CHECK_OK(table_close(&table, &err), err);
    CHECK_OK(file_read(path, &again, &err), err);
    CHECK(again.size == size && memcmp(again.data, copy, size) == 0);
    file_free(&again);
    mem_free(copy);
    /* Resuming without a table starts one. */
    unlink(path);
    CHECK_OK(table_open(&table, path, 6, &err), err);
    CHECK_OK(table_close(&table, &err), err);
    check_rows(0);
}

TEST(wrong_tables_are_named_by_line)
{
    abut_error err;
    step_table table;
    step_row *rows;
    size_t count;
    CHECK_OK(atomic_write(path, "a,b\n", 4, &err), err);
    CHECK(table_open(&table, path, 3, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "line 1") != NULL && strcmp(err.place, path) == 0);
    CHECK_OK(table_open(&table, path, TABLE_NEW, &err), err);
    append_rows(&table, 1, 2);
    CHECK_OK(table_close(&table, &err), err);
    FILE *f = fopen(path, "ab");
    fputs("3,0.1,x\n", f);
    fclose(f);
    CHECK(table_read(path, &rows, &count, &err) == ABUT_ERROR_INPUT);
    CHECK(strstr(err.message, "line 4") != NULL && rows == NULL && count == 0);
}

/* Of version 0.1.0 of October 2026, and one of before that had fewer columns. */
static const char old_table[] =
    "step,time,wall_s,newton_iters,friction_iters,contacts,min_distance,kappa,kinetic,elastic,"
    "gravity,contact,linear_momentum_x,linear_momentum_y,linear_momentum_z,angular_momentum_x,"
    "angular_momentum_y,angular_momentum_z,max_stretch,mean_stretch,min_stretch,"
    "mean_compression,potential,unknowns,splits,collapses,swaps,smoothings,friction_not_converged\n"
    "1,0.5,3.5,4,5,6,0.125,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,1\n"
    "2,1,7,40,50,60,inf,80,90,100,110,120,0,0,0,0,0,0,1,1,1,1,0,24,0,0,0,0,0\n";
static const char older_table[] = "step,time,wall_s,newton_iters,contact\n1,0.5,3.5,4,12\n";

TEST(tables_of_earlier_versions_are_read)
{
    abut_error err;
    step_table table;
    step_row *rows;
    size_t count;
    CHECK_OK(atomic_write(path, old_table, sizeof old_table - 1, &err), err);
    CHECK_OK(table_read(path, &rows, &count, &err), err);
    CHECK(count == 2 && rows[0].wall_seconds == 3.5 && rows[0].newton_iterations == 4);
    CHECK(rows[0].friction_iterations == 5 && rows[0].contact_count == 6);
    CHECK(rows[0].contact_energy == 12 && rows[0].friction_not_converged == 1);
    CHECK(rows[1].kappa == 80 && isinf(rows[1].min_distance) && rows[1].contact_energy == 120);
    mem_free(rows);
    /* A run that goes on has the present header, and the rows that were there. */
    CHECK_OK(table_open(&table, path, 1, &err), err);
    append_rows(&table, 2, 2);
    CHECK_OK(table_close(&table, &err), err);
    file_bytes bytes;
    CHECK_OK(file_read(path, &bytes, &err), err);
    CHECK(strstr(bytes.data, "newton_iters") == NULL && strstr(bytes.data, ",contact,") == NULL);
    CHECK(strstr(bytes.data, "\n1,0.5,3.5,4,5,6,0.125,8,9,10,11,12,13,") != NULL);
    file_free(&bytes);
    CHECK_OK(atomic_write(path, older_table, sizeof older_table - 1, &err), err);
    CHECK_OK(table_read(path, &rows, &count, &err), err);
    CHECK(count == 1 && rows[0].newton_iterations == 4 && rows[0].contact_energy == 12);
    CHECK(isnan(rows[0].kappa) && isnan(rows[0].splits) && rows[0].contact_count == 0);
    mem_free(rows);
    static const char *const wrong[][2] = {{"step,time,newton_iters,newton_iterations\n", "twice"},
                                           {"step,kappa\n", "no column 'time'"},
                                           {"step,time,temperature\n", "'temperature' is no"},
                                           {"step,time", "has no end"}};
    for (int i = 0; i < 4; i++) {
        CHECK_OK(atomic_write(path, wrong[i][0], strlen(wrong[i][0]), &err), err);
        CHECK(table_read(path, &rows, &count, &err) == ABUT_ERROR_INPUT);
        CHECK(strstr(err.message, wrong[i][1]) != NULL);
    }
}

static char *renewed(const char *text)
{
    abut_error err;
    size_t size = strlen(text);
    char *copy = mem_alloc(size + 1, 1), *out;
    memcpy(copy, text, size);
    CHECK_OK(table_names_renew(&copy, &size, &err), err);
    out = mem_calloc(size + 1, 1);
    memcpy(out, copy, size);
    mem_free(copy);
    return out;
}

/* What `abut view` hands to its page. */
TEST(old_names_become_present_ones)
{
    static const char *const pairs[][2] = {
        {older_table, "step,time,wall_seconds,newton_iterations,contact_energy\n1,0.5,3.5,4,12\n"},
        {"step,contact_count\n1,2", "step,contact_count\n1,2"},
        {"step,contacts", "step,contact_count"},
        {"", ""},
        {"{\"status\":  \"ok\", \"steps\": 3}\n", "{\"status\":  \"ok\", \"steps\": 3}\n"},
        {"{\"max_contacts\": 7, \"mean_contacts\": 0.1, \"min_distance\": null}",
         "{\n  \"min_distance\": null,\n  \"max_contact_count\": 7,\n"
         "  \"mean_contact_count\": 0.1\n}\n"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *text = renewed(pairs[i][0]);
        CHECK(strcmp(text, pairs[i][1]) == 0);
        mem_free(text);
    }
}

/* The limit on file sizes stands in for a full disk. */
TEST(a_row_that_does_not_fit_is_not_there)
{
    abut_error err;
    step_table table;
    CHECK_OK(table_open(&table, path, TABLE_NEW, &err), err);
    append_rows(&table, 1, 2);
    file_bytes bytes;
    CHECK_OK(file_read(path, &bytes, &err), err);
    struct rlimit before, tight;
    getrlimit(RLIMIT_FSIZE, &before);
    tight = before;
    tight.rlim_cur = bytes.size + 50;
    file_free(&bytes);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &tight);
    step_row row = make_row(3);
    CHECK(table_append(&table, &row, &err) == ABUT_ERROR_IO);
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK(strstr(err.message, "too large") != NULL);
    check_rows(2);
    CHECK_OK(table_append(&table, &row, &err), err);
    check_rows(3);
    CHECK_OK(table_close(&table, &err), err);
}

TEST(lack_of_memory_keeps_the_table)
{
    abut_error err;
    step_table table;
    CHECK_OK(table_open(&table, path, TABLE_NEW, &err), err);
    append_rows(&table, 1, 4);
    CHECK_OK(table_close(&table, &err), err);
    for (int i = 0;; i++) {
        mem_fail_after(i);
        abut_status status = table_open(&table, path, 4, &err);
        bool injected = mem_failure_happened();
        mem_fail_after(-1);
        CHECK(status == (injected ? ABUT_ERROR_MEMORY : ABUT_OK));
        if (!injected) break;
        check_rows(4);
    }
    CHECK_OK(table_close(&table, &err), err);
    file_fail_after_bytes(10);
    CHECK(table_open(&table, path, 2, &err) == ABUT_ERROR_IO);
    file_fail_after_bytes(-1);
    check_rows(4);
}

static run_summary make_summary(void)
{
    static const body_summary bodies[2] = {
        {"cube", "deformable", {0.1, 2, 3}, {-1, -1, -1}, {1, 1, 1}},
        {"b\"all", "rigid", {0, 0, 0}, {0, 0, 0}, {1, 2, 3}}};
    run_summary s = {.result = ABUT_ERROR_NOT_CONVERGED,
                     .scene = "two bodies",
                     .steps = 12,
                     .simulated_seconds = 0.1,
                     .wall_seconds = 1.0 / 3.0,
                     .newton_iterations = 77,
                     .contact.max_count = 5,
                     .contact.mean_count = 2.5,
                     .contact.min_distance = INFINITY,
                     .max_stretch = 1.02,
                     .peak_rss_bytes = 5000000000u,
                     .threads = 2,
                     .body_count = 2,
                     .bodies = bodies};
    for (int i = 0; i < STAGE_COUNT; i++) s.stage_seconds[i] = 0.5 + i;
    s.norms.l2 = 0.25;
    return s;
}

TEST(summary_has_every_key_of_the_contract)
{
    abut_error err;
    run_summary s = make_summary();
    CHECK_OK(summary_write(path, &s, &err), err);
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
    CHECK(root != NULL);
    static const char *const keys[] = {"status",
                                       "steps",
                                       "simulated_seconds",
                                       "wall_seconds",
                                       "newton_iterations",
                                       "max_contact_count",
                                       "mean_contact_count",
                                       "min_distance",
                                       "max_stretch",
                                       "intersections",
                                       "inverted_elements",
                                       "peak_rss_bytes",
                                       "threads",
                                       "stage_seconds",
                                       "norms",
                                       "bodies"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        CHECK(json_object_get(root, keys[i]) != NULL);
    CHECK(strcmp(json_string_value(json_object_get(root, "status")), "not_converged") == 0);
    CHECK(json_real_value(json_object_get(root, "wall_seconds")) == 1.0 / 3.0);
    CHECK(json_is_null(json_object_get(root, "min_distance")));
    CHECK(json_integer_value(json_object_get(root, "peak_rss_bytes")) == 5000000000);
    json_t *stages = json_object_get(root, "stage_seconds");
    CHECK(json_object_size(stages) == STAGE_COUNT);
    CHECK(json_real_value(json_object_get(stages, "ccd")) == 0.5 + STAGE_CCD);
    static const char *const norms[] = {"l2", "h1", "h1_semi", "linf"};
    for (int i = 0; i < 4; i++)
        CHECK(json_is_real(json_object_get(json_object_get(root, "norms"), norms[i])));
    for (int i = 0; i < 4; i++)
        CHECK(json_is_real(json_object_get(json_object_get(root, "norms_at_points"), norms[i])));
    json_t *body = json_array_get(json_object_get(root, "bodies"), 1);
    CHECK(strcmp(json_string_value(json_object_get(body, "name")), "b\"all") == 0);
    CHECK(strcmp(json_string_value(json_object_get(body, "type")), "rigid") == 0);
    json_t *high = json_array_get(json_object_get(body, "bounds"), 1);
    CHECK(json_real_value(json_array_get(high, 2)) == 3.0);
    json_decref(root);
}

TEST(summary_states_and_faults)
{
    static const struct {
        abut_status result;
        const char *name;
    } states[] = {{ABUT_OK, "\"ok\""},
                  {ABUT_INTERRUPTED, "\"interrupted\""},
                  {ABUT_ERROR_IO, "\"error\""},
                  {ABUT_ERROR_INFEASIBLE, "\"error\""}};
    abut_error err;
    run_summary s = make_summary();
    s.message = "because";
    file_bytes bytes;
    for (int i = 0; i < 4; i++) {
        s.result = states[i].result;
        CHECK_OK(summary_write(path, &s, &err), err);
        CHECK_OK(file_read(path, &bytes, &err), err);
        CHECK(strstr(bytes.data, states[i].name) != NULL);
        CHECK(strstr(bytes.data, "\"message\": \"because\"") != NULL);
        CHECK(bytes.data[bytes.size - 1] == '\n');
        file_free(&bytes);
    }
    s.result = ABUT_OK;
    file_fail_after_bytes(20);
    CHECK(summary_write(path, &s, &err) == ABUT_ERROR_IO);
    file_fail_after_bytes(-1);
    CHECK_OK(file_read(path, &bytes, &err), err);
    CHECK(strstr(bytes.data, "\"error\"") != NULL); /* the old file is still there */
    file_free(&bytes);
    CHECK(summary_peak_rss() > 1000000);
}

int main(void)
{
    strcpy(folder, "/tmp/abut-test-tables-XXXXXX");
    if (!mkdtemp(folder)) return 1;
    path_join(path, sizeof path, folder, "steps.csv");
    RUN(rows_come_back_bit_for_bit);
    RUN(the_locale_does_not_matter);
    RUN(a_resumed_table_equals_an_unbroken_one);
    RUN(wrong_tables_are_named_by_line);
    RUN(tables_of_earlier_versions_are_read);
    RUN(old_names_become_present_ones);
    RUN(a_row_that_does_not_fit_is_not_there);
    RUN(lack_of_memory_keeps_the_table);
    RUN(summary_has_every_key_of_the_contract);
    RUN(summary_states_and_faults);
    unlink(path);
    CHECK(rmdir(folder) == 0);
    return TEST_END();
}
