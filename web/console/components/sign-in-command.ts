/** The command that prints a new one-time sign-in link. */
export const signInCommand = 'npm run -s plinth -- console';
