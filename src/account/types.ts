/**
 * Why a browser's session has ended. `elsewhere` means that the user ended the session from another device. `inactive`
 * and `expired` refer to limits in `[auth.sessions]`. `replaced` means that a newer session ended this one, because the
 * project allows only one session per user. `other` is an unknown reason.
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
