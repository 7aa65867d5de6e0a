/** The errors of SCIM (RFC 7644 section 3.12). */

export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue';

export class ScimError extends Error {
  readonly status: number;
  readonly scimType: ScimType | undefined;

  constructor(status: number, detail: string, scimType?: ScimType) {
    super(detail);
    this.name = 'ScimError';
    this.status = status;
    this.scimType = scimType;
  }
}

export const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error';

export const renderScimError = ({ status, scimType, message }: ScimError) => ({
  schemas: [errorSchema],
  status: String(status),
  ...(scimType === undefined ? {} : { scimType }),
  detail: message,
});
