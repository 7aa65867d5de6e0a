/**
 * The reason why a browser's session has ended. `elsewhere` means that the user ended the session from another device.
 * `inactive` and `expired` refer to limits in `[auth.sessions]`. `replaced` means that a newer session ended this
 * session, because the project allows only one session per user. `other` means that the reason is unknown.
 */
export type Ending =
  | 'password_changed'
  | 'secured'
  | 'factors_reset'
  | 'elsewhere'
  | 'support'
  | 'inactive'
  | 'expired'
  | 'replaced'
  | 'other';
