import type { User } from '../../api/types.ts';

/** The user's display name: the email address, otherwise the phone number, otherwise the ID. */
export const nameOf = ({ email, phone, id }: User): string => email || (phone ? `+${phone}` : id);
