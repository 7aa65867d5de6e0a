/** Indonesian translations of `en/api-keys.ts`. */
export const messages = {
  'api-key.title': 'Kunci API',
  'api-key.intro':
    'Dengan kunci, skrip atau program dapat mengakses data Anda. Siapa pun yang memiliki kunci ini dapat menggunakannya, jadi rahasiakan kunci Anda.',
  'api-key.none': 'Belum ada kunci API',
  'api-key.guest': 'Tamu tidak dapat membuat kunci API. Simpan akun Anda terlebih dahulu.',
  'api-key.create': 'Buat kunci API',
  'api-key.name': 'Nama',
  'api-key.name-hint': 'Misalnya, nama program yang akan menggunakan kunci ini.',
  'api-key.name-missing': 'Masukkan nama.',
  'api-key.lifetime': 'Masa berlaku',
  'api-key.scopes': 'Izin',
  'api-key.submit': 'Buat kunci',
  'api-key.too-many':
    'Anda sudah mencapai jumlah maksimum kunci API. Cabut kunci yang tidak lagi Anda gunakan.',
  'api-key.shown-once': 'Salin kunci ini dan simpan di tempat yang aman. Kunci tidak akan ditampilkan lagi.',
  'api-key.key': 'kunci API',
  'api-key.kept': 'Saya sudah menyimpan kunci ini',
  'api-key.created': 'Dibuat {when}',
  'api-key.expires': 'Berlaku hingga {when}',
  'api-key.expired': 'Kedaluwarsa {when}',
  'api-key.unused': 'Belum digunakan',
  'api-key.revoke': 'Cabut',
  'api-key.revoke-what': 'Cabut {name}',
  'api-key.revoke-ask':
    'Cabut {name}? Program yang menggunakan kunci ini akan kehilangan akses dalam hitungan detik.',
  'api-key.revoked': '{name} dicabut. Program tidak dapat lagi menggunakan kunci ini.',
};
