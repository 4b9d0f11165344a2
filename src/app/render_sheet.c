/* A contact sheet: several frames of a run, evenly spread, in one picture; and the list of fields.
 */
#include "app/render_run.h"
#include "output/legend.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put(image *sheet, const image *cell, int column, int row)
{
    size_t width = 3 * (size_t)cell->width;
    for (int y = 0; y < cell->height; y++) {
        size_t line = (size_t)(row * cell->height + y) * (size_t)sheet->width;
        memcpy(sheet->rgb + 3 * (line + (size_t)column * (size_t)cell->width),
               cell->rgb + (size_t)y * width, width);
    }
}

/* Cells are as large as --size says; the sheet is a multiple of that. */
abut_status render_sheet(const render_command *r, const frame_series *series, renderer *painter,
                         abut_error *err)
{
    image sheet = {0}, cell = {0};
    int cells = r->columns * r->rows, width = r->options.width, height = r->options.height;
    size_t count = series->entries.count;
    abut_status status = image_init(&sheet, width * r->columns, height * r->rows, err);
    if (status == ABUT_OK) status = image_init(&cell, width, height, err);
    if (status == ABUT_OK) memset(sheet.rgb, 255, 3 * (size_t)sheet.width * (size_t)sheet.height);
    for (int i = 0; status == ABUT_OK && i < cells && (size_t)i < count; i++) {
        size_t pictures = (size_t)cells < count ? (size_t)cells : count;
        size_t entry = pictures > 1 ? (size_t)i * (count - 1) / (pictures - 1) : count - 1;
        status = draw_entry(series, entry, painter, &cell, err);
        char label[64];
        snprintf(label, sizeof label, "%.4g s", series->entries.data[entry].time);
        double unit = fmax(1.2, height / 240.0);
        text_draw(&cell, label, 8.0 * unit, height - 8.0 * unit, unit);
        put(&sheet, &cell, i % r->columns, i / r->columns);
        show_count((size_t)i + 1, pictures);
    }
    if (status == ABUT_OK) status = write_picture(&sheet, r->format, r->output, err);
    image_free(&cell);
    image_free(&sheet);
    return status;
}

abut_status list_fields(const char *folder, abut_error *err)
{
    frame_series series;
    stored_frame f;
    char path[RENDER_PATH_SIZE];
    TRY(series_find(&series, folder, err));
    series_path(&series, series.entries.count - 1, path, sizeof path);
    abut_status status = frame_read(path, &f, err);
    if (status == ABUT_OK) {
        printf("%-20s %-7s %-6s %s\n", "field", "on", "parts", "unit");
        for (size_t i = 0; i < f.frame.field_count; i++) {
            const frame_field *field = &f.frame.fields[i];
            printf("%-20s %-7s %-6d %s\n", field->name,
                   field->place == FRAME_POINTS ? "points" : "cells", field->components,
                   field_unit(field->name));
        }
        stored_frame_free(&f);
    }
    series_close(&series);
    return status;
}
