/**
 * Reads client ID metadata documents (draft-ietf-oauth-client-id-metadata-document). The ID of such a client is the URL of
 * its metadata, so the host proves who the client is.
 *
 * The URL is the client's choice. The request therefore reaches only public addresses (decision 15), and is sent only when
 * a signed-in operator opens the page that asks for approval.
 */
import { type Outgoing, OutgoingError } from '../../../../base/shared/network/outgoing.ts';
import { documentClient, type OAuthClient } from './clients.ts';
import { OAuthError } from './errors.ts';

export interface ClientDocuments {
  /** Returns the client whose metadata is at the URL. @throws {OAuthError} invalid_client_metadata */
  find(url: string): Promise<OAuthClient>;
}

interface ClientDocumentsDeps {
  readonly outgoing: Pick<Outgoing, 'send'>;
  readonly isEnabled: () => boolean;
  readonly now: () => number;
}

const timeoutMs = 5_000;
const maxUrlLength = 500;
const maxDocumentChars = 10_000;
/** How long a document is kept, so that the approval uses the metadata that the operator has seen. */
const keptMs = 5 * 60_000;
const maxKept = 100;

/** Whether a client ID is a URL. All other IDs contain the client's metadata. */
export const isDocumentUrl = (id: string): boolean => id.startsWith('https://');

export function createClientDocuments({ outgoing, isEnabled, now }: ClientDocumentsDeps): ClientDocuments {
  const kept = new Map<string, { readonly client: OAuthClient; readonly until: number }>();

  async function load(url: string): Promise<OAuthClient> {
    const fault = urlFault(url);
    if (fault !== undefined) throw invalid(`The client ID ${fault}.`);
    const headers = { accept: 'application/json' };
    const response = await outgoing
      .send({ url, reach: 'public', timeoutMs, headers })
      .catch((error: unknown) => {
        if (!(error instanceof OutgoingError)) throw error;
        throw invalid(`The client's metadata can't be loaded: ${error.message}.`);
      });
    if (response.status !== 200)
      throw invalid(`The client's metadata can't be loaded: the status is ${response.status}.`);
    if (response.text.length > maxDocumentChars) throw invalid("The client's metadata is too long.");
    return documentClient(url, parsed(response.text));
  }

  return {
    async find(url) {
      if (!isEnabled())
        throw invalid(
          "This server doesn't load the metadata of clients, so the client must register itself.",
        );
      const found = kept.get(url);
      if (found !== undefined && found.until > now()) return found.client;
      const client = await load(url);
      kept.delete(url);
      const [oldest] = kept.keys();
      if (kept.size >= maxKept && oldest !== undefined) kept.delete(oldest);
      kept.set(url, { client, until: now() + keptMs });
      return client;
    },
  };
}

/** Returns what is wrong with a URL as a client ID (section 3 of the draft). */
function urlFault(url: string): string | undefined {
  if (url.length > maxUrlLength) return 'is too long';
  if (!URL.canParse(url)) return "isn't a URL";
  const { href, pathname, hash, username, password } = new URL(url);
  // The client's server compares the ID with its own text, so no other text may lead to the same document.
  if (href !== url || pathname === '/') return 'must be a normalized URL with a path';
  return hash === '' && username === '' && password === ''
    ? undefined
    : "can't contain a fragment, a user name or a password";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid("The client's metadata isn't valid JSON.");
  }
}

const invalid = (message: string): OAuthError => new OAuthError('invalid_client_metadata', message);
