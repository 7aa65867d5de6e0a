/** What the pages of this project offer: read from auth's own `/settings`, never guessed. */

/** The part of `GET /auth/v1/settings` that the pages read. */
export interface AuthSettings {
  readonly external?: Readonly<Record<string, boolean>>;
  readonly disable_signup?: boolean;
  readonly mailer_autoconfirm?: boolean;
}

export interface Offers {
  readonly password: boolean;
  readonly code: boolean;
  readonly signUp: boolean;
  readonly guest: boolean;
}

export type OfferName = keyof Offers;

export function offersOf(settings: AuthSettings): Offers {
  const email = settings.external?.email === true;
  const open = settings.disable_signup !== true;
  return {
    password: email,
    code: email,
    signUp: email && open,
    guest: settings.external?.anonymous_users === true && open,
  };
}

/** Names of what is not offered, for the page's `data-off`. */
export function offNames(offers: Offers): OfferName[] {
  return (Object.keys(offers) as OfferName[]).filter((name) => !offers[name]);
}
