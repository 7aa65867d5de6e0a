import { texts } from './messages';

const textOf = (user, name) => {
  const value = user.user_metadata[name];
  return typeof value === 'string' ? value.trim() : '';
};
export const nameOf = (user) =>
  textOf(user, 'full_name') || textOf(user, 'name') || user.email || user.phone || texts.guestName;
/** Returns the address of the user’s picture. Users can change their metadata, so only web addresses are used. */
export function pictureOf(user) {
  const url = textOf(user, 'avatar_url') || textOf(user, 'picture');
  return /^https:\/\//.test(url) ? url : undefined;
}
/** Returns the letters that are shown without a picture. */
export const initialsOf = (user) => {
  const words = nameOf(user)
    .split(/[\s@.]+/)
    .filter(Boolean);
  return words
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase() ?? '')
    .join('');
};
