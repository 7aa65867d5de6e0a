/**
 * Defines the rows of the benchmark tables `items`, `notes` and `trash`. The rows belong to a hundred users, who can see
 * only their own rows.
 */

export const USERS = 100;
export const ROWS = 100_000;
/** The number of rows of `trash`, which benchmarks delete. */
export const TRASH = 500_000;
export const userOf = (id: number): number => id % USERS;
export const subOf = (user: number): string => `00000000-0000-4000-8000-${String(user).padStart(12, '0')}`;
