/* All cells of the table of gradients, with the error of each. */
#include "support/gradient_cells.h"
#include "test.h"

TEST(all_cells)
{
    double worst = 0;
    for (size_t i = 0; i < gradient_cell_count; i++) {
        const gradient_cell *c = &gradient_cells[i];
        char message[700];
        double error = gradient_cell_error(c, message, sizeof message);
        printf("%-10s contact %d %-14s %-18s %-40s %8.1e %s\n", c->body, c->contact, c->integrator,
               c->kind, c->name, error, error <= 1e-5 ? "" : message);
        fflush(stdout);
        CHECK(error <= 1e-5);
        worst = fmax(worst, error);
    }
    printf("%zu cells, worst %.1e\n", gradient_cell_count, worst);
    CHECK(gradient_cell_count >= 60);
}

TEST(all_cells_forwards)
{
    double worst = 0;
    for (size_t i = 0; i < gradient_cell_count; i++) {
        const gradient_cell *c = &gradient_cells[i];
        char message[700];
        double error = gradient_cell_forward_error(c, message, sizeof message);
        if (!(error <= 1e-5))
            printf("%s contact %d %s %s %s: %g %s\n", c->body, c->contact, c->integrator, c->kind,
                   c->name, error, message);
        CHECK(error <= 1e-5);
        worst = fmax(worst, error);
    }
    printf("forwards, worst %.1e\n", worst);
}

int main(void)
{
    RUN(all_cells);
    RUN(all_cells_forwards);
    return TEST_END();
}
