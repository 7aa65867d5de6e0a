/** The types of an organization's connection. */
import { isJsonObject } from '../../common/json.ts';

export interface SamlSettings {
  readonly kind: 'saml';
  readonly entityId: string;
  readonly metadataXml: string;
  readonly metadataUrl: string | null;
  /** When the metadata was last read. */
  readonly readAtMs: number;
}

export interface OidcSettings {
  readonly kind: 'oidc';
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export type ConnectionSettings = SamlSettings | OidcSettings;

/** Checks settings that were stored before. */
export function settingsFrom(value: unknown): ConnectionSettings | null {
  return isJsonObject(value) && (value.kind === 'saml' || value.kind === 'oidc')
    ? (value as unknown as ConnectionSettings)
    : null;
}

/** The role that members of a group get. */
export interface GroupRole {
  readonly group: string;
  readonly role: string;
}

export interface Connection {
  readonly id: string;
  readonly organizationId: string;
  /** Null until the connection is activated. */
  readonly settings: ConnectionSettings | null;
  readonly draft: ConnectionSettings | null;
  /** The fingerprint of the settings that were tested last. */
  readonly tested: string | null;
  readonly isActive: boolean;
  readonly isDisabled: boolean;
  readonly isEnforced: boolean;
  readonly addsMembers: boolean;
  readonly defaultRole: string;
  readonly groupRoles: readonly GroupRole[];
}
