/** Search parameters for the Jobs pages. */

export interface OpenSearch {
  /** The item that is open in the panel. */
  readonly id?: string;
}

export function validateOpenSearch(search: Record<string, unknown>): OpenSearch {
  const { id } = search;
  // The router parses an ID that consists only of digits as a number.
  return (typeof id === 'string' && id !== '') || typeof id === 'number' ? { id: String(id) } : {};
}

export interface QueueSearch extends OpenSearch {
  readonly of?: 'archive';
}

export const validateQueueSearch = (search: Record<string, unknown>): QueueSearch => ({
  ...validateOpenSearch(search),
  ...(search.of === 'archive' ? { of: 'archive' } : {}),
});

export interface RequestSearch {
  readonly waiting?: string;
  readonly answered?: string;
  readonly failed?: true;
}

export const validateRequestSearch = (search: Record<string, unknown>): RequestSearch => {
  const one = (name: 'waiting' | 'answered') => {
    const { id } = validateOpenSearch({ id: search[name] });
    return id === undefined ? {} : { [name]: id };
  };
  return { ...one('waiting'), ...one('answered'), ...(search.failed === true ? { failed: true } : {}) };
};
