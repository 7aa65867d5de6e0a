/** Renders an OAuth client's authorization request for the user who approves or denies it. */

import type { JsonObject } from '../common/json.ts';
import type { OAuthAuthorization, OAuthClient, User } from '../common/rows.ts';

/**
 * An authorization request that a user has opened. Contains the client's request, or the redirect URL if the user has
 * already granted access.
 */
export type OpenedAuthorization =
  | {
      readonly kind: 'ask';
      readonly authorization: OAuthAuthorization;
      readonly client: OAuthClient;
      readonly user: User;
    }
  | { readonly kind: 'allowed'; readonly redirectUrl: string };

export function renderOpenedAuthorization(opened: OpenedAuthorization): JsonObject {
  if (opened.kind === 'allowed') return { redirect_url: opened.redirectUrl };
  const { authorization, client, user } = opened;
  return {
    authorization_id: authorization.authorization_id,
    redirect_uri: authorization.redirect_uri,
    client: renderClient(client),
    user: { id: user.id, ...(user.email ? { email: user.email } : {}) },
    scope: authorization.scope,
  };
}

/** Renders those details of the client that users may see. */
export function renderClient(
  client: Pick<OAuthClient, 'id' | 'client_name' | 'client_uri' | 'logo_uri'>,
): JsonObject {
  return {
    id: client.id,
    ...(client.client_name ? { name: client.client_name } : {}),
    ...(client.client_uri ? { uri: client.client_uri } : {}),
    ...(client.logo_uri ? { logo_uri: client.logo_uri } : {}),
  };
}
