/** The command that prints a new one-time link. */
export const signInCommand = 'npm run -s plinth -- console';
