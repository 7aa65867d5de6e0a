/** Validates header fields that operators enter. */
import { z } from 'zod';

/** A header field name (RFC 9110, section 5.6.2). */
export const headerName = z
  .string()
  .max(200)
  .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "isn't a valid header name");
/** A header field value (RFC 9110, section 5.5). */
export const headerValue = z
  .string()
  .max(8000)
  .regex(/^[\t\x20-\x7e\x80-\xff]*$/, "contains characters that aren't allowed in headers");
