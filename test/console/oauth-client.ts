/** A local MCP client for tests: the official SDK's OAuth flow, with a callback server as desktop agents have one. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';

export interface LocalAgent {
  readonly provider: OAuthClientProvider;
  /** The tokens that the client has stored. */
  readonly stored: { tokens: StoredOAuthTokens | undefined };
  /** Connects without tokens and returns the URL that the client opens in the browser. */
  begin(): Promise<URL>;
  /** Waits until the browser opens the callback URL, exchanges the code and connects. */
  finish(): Promise<Client>;
  close(): Promise<void>;
}

export async function localAgent(mcpUrl: string, name = 'Test agent'): Promise<LocalAgent> {
  const callback = Promise.withResolvers<URL>();
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', origin);
    response.end('<!doctype html><title>Signed in</title>');
    if (url.pathname === '/callback') callback.resolve(url);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stored: { tokens: StoredOAuthTokens | undefined } = { tokens: undefined };
  let opened: URL | undefined;
  let information: StoredOAuthClientInformation | undefined;
  let discovery: OAuthDiscoveryState | undefined;
  let verifier = '';
  const provider: OAuthClientProvider = {
    redirectUrl: `${origin}/callback`,
    clientMetadata: { client_name: name, redirect_uris: [`${origin}/callback`] },
    state: () => '12345678901234567890',
    clientInformation: () => information,
    saveClientInformation(next) {
      information = next;
    },
    discoveryState: () => discovery,
    saveDiscoveryState(next) {
      discovery = next;
    },
    tokens: () => stored.tokens,
    saveTokens(next) {
      stored.tokens = next;
    },
    redirectToAuthorization(url) {
      opened = url;
    },
    codeVerifier: () => verifier,
    saveCodeVerifier(next) {
      verifier = next;
    },
  };
  const clients: Client[] = [];
  const transport = () => new StreamableHTTPClientTransport(new URL(mcpUrl), { authProvider: provider });
  const newClient = (): Client => {
    const client = new Client({ name, version: '1.0.0' });
    clients.push(client);
    return client;
  };
  return {
    provider,
    stored,
    async begin() {
      const error: unknown = await newClient()
        .connect(transport())
        .then(
          () => undefined,
          (reason: unknown) => reason,
        );
      if (!(error instanceof UnauthorizedError) || opened === undefined) throw error;
      return opened;
    },
    async finish() {
      const { searchParams } = await callback.promise;
      await transport().finishAuth(searchParams);
      const client = newClient();
      await client.connect(transport());
      return client;
    },
    async close() {
      for (const client of clients) await client.close();
      await closed(server);
    },
  };
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.closeAllConnections();
    server.close(() => resolve());
  });
