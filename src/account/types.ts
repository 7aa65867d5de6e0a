/**
 * Why the session of a browser has ended. `elsewhere`: the user signed it out on another device. `inactive` and
 * `expired`: a limit in `[auth.sessions]`. `replaced`: only the newest session of a user is valid. `other`: unknown.
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
