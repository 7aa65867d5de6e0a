import { z } from 'zod';
import { json, noContent, type RouteTable } from '../core/contract.ts';

const maxMetadataChars = 500_000;
const domain = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(/^(?=.+\.)[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, 'must be a domain such as example.com, without @');
const metadataUrl = z.url({ protocol: /^https$/, error: 'must begin with https://' }).max(2000);
const metadataXml = z.string().min(1).max(maxMetadataChars);
const mapping = z.record(
  z.string().min(1).max(100),
  z.object({
    name: z.string().max(500).optional(),
    names: z.array(z.string().max(500)).max(20).optional(),
    default: z.unknown().optional(),
    array: z.boolean().optional(),
  }),
);
const source = z
  .object({ url: metadataUrl.optional(), xml: metadataXml.optional() })
  .refine(({ url, xml }) => (url === undefined) !== (xml === undefined), 'needs a URL or a document');
const connectionFields = {
  domains: z.array(domain).max(100),
  mapping: mapping.default({}),
};
const newConnection = z.object({ source, ...connectionFields });
const connectionChange = z.object({
  source: source.optional(),
  disabled: z.boolean(),
  ...connectionFields,
});

/** A connection to a SAML identity provider. */
export interface SsoConnection {
  readonly id: string;
  readonly entityId: string;
  /** Null if the metadata was uploaded as a document. Such metadata isn't refreshed. */
  readonly metadataUrl: string | null;
  readonly domains: readonly string[];
  readonly mapping: z.output<typeof mapping>;
  readonly disabled: boolean;
  readonly createdAt: string;
}

export interface SsoPage {
  /** The URLs that must be entered at the identity provider. Null if SAML is disabled. */
  readonly serviceProvider: { readonly entityId: string; readonly acsUrl: string } | null;
  readonly connections: readonly SsoConnection[];
}

/** The result of a check of an identity provider's metadata. */
export interface SsoCheck {
  readonly entityId: string;
  readonly signOnUrl: string | null;
  readonly certificates: readonly {
    readonly subject: string | null;
    readonly fingerprint: string;
    readonly expiresAt: string;
  }[];
  readonly validUntil: string | null;
}

export const ssoContract = {
  'GET /sso': { response: json<SsoPage>() },
  'POST /sso': { body: newConnection, response: json<SsoConnection>() },
  'POST /sso/check': { body: source, response: json<SsoCheck>() },
  'PUT /sso/:id': { body: connectionChange, response: json<SsoConnection>() },
  'POST /sso/:id/check': { response: json<SsoCheck>() },
  'DELETE /sso/:id': { response: noContent },
} as const satisfies RouteTable;
