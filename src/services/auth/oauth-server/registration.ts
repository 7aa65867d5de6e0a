/**
 * Parses and validates a client's metadata in requests that register or update the client (RFC 7591 section 2). Also
 * validates redirect URIs (RFC 6749 section 3.1.2).
 */

import { redirectUriFault as generalFault } from '../../../base/shared/http/redirect-uri.ts';
import type { Fields } from '../common/fields.ts';
import { authError } from '../errors.ts';
import { machineGrant } from './machine-client.ts';

type ClientType = 'public' | 'confidential';
export type AuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post';

export interface ClientMetadata {
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly string[];
  readonly clientName: string | null;
  readonly clientUri: string | null;
  readonly logoUri: string | null;
  readonly authMethod: AuthMethod;
}

export interface Registration extends ClientMetadata {
  readonly clientType: ClientType;
}

const authMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const;
const methodsOfType: Readonly<Record<ClientType, readonly AuthMethod[]>> = {
  public: ['none'],
  confidential: ['client_secret_basic', 'client_secret_post'],
};
const userGrantTypes = ['authorization_code', 'refresh_token'] as const;
/** The grants that an operator can allow. */
const allGrantTypes = [...userGrantTypes, machineGrant] as const;

/** Who registers or changes the client. Apps can't register themselves as machine-to-machine clients. */
export type Registrar = 'app' | 'operator';
const maxRedirectUris = 10;
/** Upstream counts bytes, although its messages say characters. */
const maxNameBytes = 1024;
const maxUriBytes = 2048;

/**
 * Parses a new client's metadata.
 * @throws {AuthError} bad_json for members of the wrong type, validation_failed for invalid metadata
 */
export function parseRegistration(fields: Fields, registrar: Registrar): Registration {
  const redirectUris = fields.list('redirect_uris') ?? [];
  const type = fields.text('client_type');
  const method = fields.text('token_endpoint_auth_method');
  const grants = fields.list('grant_types') ?? [];
  const [name, uri, logo] = [fields.text('client_name'), fields.text('client_uri'), fields.text('logo_uri')];
  if (redirectUris.length > 0) checkRedirectUris(redirectUris);
  else if (!isMachineOnly(grants)) throw invalid('redirect_uris is required');
  if (grants.length > 0) checkGrantTypes(grants, registrar);
  checkName(name);
  checkUri('client_uri', uri);
  checkUri('logo_uri', logo);
  if (type !== '' && type !== 'public' && type !== 'confidential') {
    throw invalid("client_type must be 'public' or 'confidential'");
  }
  if (method !== '' && !isAuthMethod(method)) {
    throw invalid(`token_endpoint_auth_method must be one of: [${authMethods.join(' ')}]`);
  }
  const inferred: ClientType = method === 'none' ? 'public' : 'confidential';
  if (type !== '' && method !== '' && type !== inferred) {
    throw invalid(
      `client_type '${type}' is inconsistent with token_endpoint_auth_method '${method}' (expected client_type '${inferred}')`,
    );
  }
  const clientType = type === '' ? inferred : type;
  checkMachineType(grants, clientType);
  return {
    redirectUris,
    grantTypes: grants.length > 0 ? grants : userGrantTypes,
    clientName: name || null,
    clientUri: uri || null,
    logoUri: logo || null,
    clientType,
    authMethod: method === '' ? (clientType === 'public' ? 'none' : 'client_secret_basic') : method,
  };
}

/**
 * Parses the fields of an update. Fields that are missing in the request don't change. Throws the same errors as
 * {@link parseRegistration}.
 */
export function parseUpdate(
  fields: Fields,
  clientType: ClientType,
  hasOtherFields: boolean,
): Partial<ClientMetadata> {
  const redirectUris = fields.list('redirect_uris');
  const grants = fields.list('grant_types');
  const name = fields.optionalText('client_name');
  const uri = fields.optionalText('client_uri');
  const logo = fields.optionalText('logo_uri');
  const method = fields.optionalText('token_endpoint_auth_method');
  const isEmpty = [redirectUris, grants, name, uri, logo, method].every((value) => value === undefined);
  if (isEmpty && !hasOtherFields) {
    throw invalid('No fields provided for update');
  }
  if (redirectUris !== undefined) checkRedirectUris(redirectUris);
  if (grants !== undefined) {
    checkGrantTypes(grants, 'operator');
    checkMachineType(grants, clientType);
  }
  checkName(name ?? '');
  checkUri('client_uri', uri ?? '');
  checkUri('logo_uri', logo ?? '');
  if (method !== undefined) checkMethod(method, clientType);
  return {
    ...(redirectUris === undefined ? {} : { redirectUris }),
    ...(grants === undefined ? {} : { grantTypes: grants }),
    ...(name === undefined ? {} : { clientName: name || null }),
    ...(uri === undefined ? {} : { clientUri: uri || null }),
    ...(logo === undefined ? {} : { logoUri: logo || null }),
    ...(method === undefined ? {} : { authMethod: method }),
  };
}

function checkMethod(method: string, clientType: ClientType): asserts method is AuthMethod {
  if (!isAuthMethod(method)) {
    throw invalid(`invalid token_endpoint_auth_method: must be one of [${authMethods.join(' ')}]`);
  }
  const valid = methodsOfType[clientType];
  if (!valid.includes(method)) {
    throw invalid(
      `token_endpoint_auth_method '${method}' is not valid for client_type '${clientType}'; valid methods: [${valid.join(' ')}]`,
    );
  }
}

function isAuthMethod(text: string): text is AuthMethod {
  return (authMethods as readonly string[]).includes(text);
}

function checkRedirectUris(uris: readonly string[]): void {
  if (uris.length === 0) throw invalid('redirect_uris cannot be empty');
  if (uris.length > maxRedirectUris) throw invalid(`redirect_uris cannot exceed ${maxRedirectUris} items`);
  for (const uri of uris) {
    const fault = redirectUriFault(uri);
    if (fault !== undefined) throw invalid(`invalid redirect_uri '${uri}': ${fault}`);
  }
}

function checkGrantTypes(types: readonly string[], registrar: Registrar): void {
  if (types.length === 0) throw invalid('grant_types cannot be empty');
  const allowed: readonly string[] = registrar === 'operator' ? allGrantTypes : userGrantTypes;
  if (!types.every((type) => allowed.includes(type))) {
    throw invalid("grant_types must only contain 'authorization_code' and/or 'refresh_token'");
  }
}

/** Whether a client has no grant that redirects a user's browser. */
export const isMachineOnly = (grants: readonly string[]): boolean =>
  grants.length > 0 && grants.every((grant) => grant === machineGrant);

function checkMachineType(grants: readonly string[], clientType: ClientType): void {
  if (grants.includes(machineGrant) && clientType === 'public') {
    throw invalid(`grant type '${machineGrant}' requires a confidential client`);
  }
}

function checkName(name: string): void {
  if (Buffer.byteLength(name) > maxNameBytes) {
    throw invalid(`client_name cannot exceed ${maxNameBytes} characters`);
  }
}

/**
 * Checks that the URI is an http or https URL, because consent pages contain it in links and images. Upstream also
 * accepts `javascript:` URLs.
 * @throws {AuthError} validation_failed
 */
function checkUri(name: 'client_uri' | 'logo_uri', uri: string): void {
  if (uri === '') return;
  if (Buffer.byteLength(uri) > maxUriBytes) throw invalid(`${name} cannot exceed ${maxUriBytes} characters`);
  if (!URL.canParse(uri) || !/^https?:$/.test(new URL(uri).protocol))
    throw invalid(`${name} must be a valid URL`);
}

function invalid(message: string) {
  return authError('validation_failed', message);
}

/** Returns the problem with a redirect URI, or undefined if the URI is valid. */
export function redirectUriFault(uri: string): string | undefined {
  // The database column stores a comma-separated list of URIs, so a URI that contains a comma would become two URIs.
  return uri.includes(',') ? 'comma not allowed in redirect URI' : generalFault(uri);
}

/**
 * Whether the client has registered a URI. URIs are compared character by character (RFC 6749 section 3.1.2.3). Also
 * validates the URI, because older rows may contain invalid URIs.
 */
export function isRegistered(registered: readonly string[], uri: string): boolean {
  return registered.includes(uri) && redirectUriFault(uri) === undefined;
}
