/* The row of the table of integrators (src/step/integrator_list.h) that only this program has. */
INTEGRATOR(MIDPOINT, midpoint, "midpoint")
