export interface ReplaySearch {
  /** The ID of the logged request. */
  readonly request?: string;
}

export const validateReplaySearch = ({ request }: Readonly<Record<string, unknown>>): ReplaySearch =>
  (typeof request === 'string' && request !== '') || typeof request === 'number'
    ? { request: String(request) }
    : {};
