import type { User } from '../../api/types.ts';

/** The user's display name: the email address, else the phone number, else the id. */
export const nameOf = ({ email, phone, id }: User): string => email || (phone ? `+${phone}` : id);
