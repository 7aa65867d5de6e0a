export const messages = {
  'guest.intro':
    'Anda tidak memerlukan akun. Anda dapat mengakses data di browser ini sampai Anda keluar. Untuk menyimpannya setelah itu, tambahkan cara masuk.',
  'guest.off': 'Akun tamu dinonaktifkan. Masuk atau buat akun.',

  'guest.leave-title': 'Keluar dari akun tamu Anda?',
  'guest.leave-text':
    'Anda tidak dapat masuk lagi ke akun tamu. Jika keluar, semua yang Anda miliki di sini akan hilang.',
  'guest.leave': 'Keluar dan hilangkan data saya',
  'guest.leave-cancel': 'Batal',

  'upgrade.intro':
    'Anda menggunakan akun tamu. Pilih cara Anda masuk. Semua yang Anda miliki di sini tetap tersimpan.',
  'upgrade.submit': 'Simpan akun saya',
  'upgrade.by-code': 'Kirim kode lewat email',
  'upgrade.none': 'Akun tamu tidak dapat disimpan di sini. Hubungi dukungan.',
  'upgrade.sent':
    'Kami telah mengirim kode {length} digit ke {email}. Masukkan di sini atau buka tautan di email. Sampai saat itu, Anda tetap tamu.',
  'upgrade.if-yours': 'Jika ini alamat Anda, masuk ke akun Anda di bawah ini.',
  'upgrade.taken':
    'Akun lain di sini sudah menggunakan alamat email itu. Jika itu akun Anda, masuk di bawah ini.',
  'upgrade.have': 'Sudah punya akun?',
  'upgrade.with-hook':
    'Masuk ke akun itu dan pindahkan data tamu Anda ke sana. Kami akan bertanya sebelum memindahkan apa pun.',
  'upgrade.without-hook':
    'Data tamu Anda tidak dapat dipindahkan ke akun lain. Jika Anda masuk ke akun lain, Anda akan kehilangan akses ke data itu.',
  'upgrade.elsewhere': 'Masuk ke akun saya',
  'upgrade.leave': 'Masuk tanpa data tamu',
  'upgrade.done': 'Data Anda tidak berubah. Mulai sekarang, masuk dengan {who}.',
  'upgrade.done-linked': 'Data Anda tidak berubah. Anda kini dapat masuk lagi kapan saja.',
  'upgrade.member': 'Anda masuk sebagai {who}. Ini bukan akun tamu, jadi tidak perlu disimpan.',
  'upgrade.change': 'Gunakan alamat lain',
  'page.upgrade-member': 'Akun Anda sudah disimpan',
  'page.upgrade-done': 'Akun disimpan',

  'page.hand-over': 'Pindahkan data tamu Anda?',
  'hand-over.text':
    'Anda masuk sebagai {who}. Jika Anda memindahkan data tamu ke akun ini, akun tamu akan dihapus.',
  'hand-over.submit': 'Pindahkan data tamu',
  'hand-over.leave': 'Buang data tamu',
  'hand-over.leave-hint': 'Jika Anda membuang data tamu, Anda tidak dapat mengaksesnya lagi.',
  'hand-over.back': 'Kembali ke akun tamu',
  'hand-over.fresh': 'Masuk lagi',
  'hand-over.sign-in': 'Masuk ke akun tujuan data tamu Anda.',
  'page.hand-over-done': 'Data tamu dipindahkan',
  'hand-over.done': 'Data tamu Anda kini milik {who}.',

  'still-in.text': 'Aplikasi mengeluarkan Anda. Di browser ini, Anda masih masuk ke akun sebagai {who}.',
  'still-in.guest':
    'Aplikasi mengeluarkan Anda. Di browser ini, Anda masih masuk sebagai tamu. Jika keluar di sini, Anda akan kehilangan akses ke akun tamu.',
  'still-in.submit': 'Keluar dari akun Anda',
  'still-in.others': 'Anda juga masuk sebagai {accounts}.',
  'signed-out.all-accounts': 'Keluar dari semua akun',
  'signed-out.kept':
    'Halaman masuk di browser ini masih menampilkan {accounts}. Di komputer bersama, hapus alamat Anda di sini.',
  'signed-out.forget': 'Hapus dari browser ini',
  'signed-out.forgotten': 'Dihapus dari browser ini.',
  'signed-out.choose': 'Pilih akun',
  'still-in.back': 'Kembali ke {host}',
};
