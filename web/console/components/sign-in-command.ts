/** Prints a fresh one-time link. */
export const signInCommand = 'npm run -s plinth -- console';
