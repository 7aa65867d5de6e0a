export const messages = {
  'page.signed-in': 'Anda sudah masuk',
  'page.leave-guest': 'Keluar dari akun tamu Anda?',
  'page.refused': 'Formulir ini tidak dapat dikirim',
  'page.failed': 'Terjadi masalah',
  'page.limited': 'Terlalu banyak percobaan',

  'page.confirm-invite': 'Gabung ke {name}',
  'page.confirm-number': 'Konfirmasi permintaan Anda',
  'page.confirm-canceled': 'Tautan ini tidak berlaku lagi',
  'page.confirmed': 'Dikonfirmasi',
  'page.confirm-recovery': 'Atur ulang kata sandi',
  'page.confirm-magiclink': 'Masuk ke {name}',
  'page.confirm-email_change': 'Konfirmasi alamat email Anda',

  'confirm.invite': 'Anda diundang ke {name} sebagai {email}. Terima undangan untuk memilih cara Anda masuk.',
  'confirm.invite-button': 'Gabung ke {name}',
  'confirm.recovery':
    'Lanjutkan untuk memilih kata sandi baru bagi {email}. Tautan ini hanya dapat digunakan sekali.',
  'confirm.recovery-button': 'Lanjutkan',
  'confirm.magiclink': 'Masuk sebagai {email}. Tautan ini hanya dapat digunakan sekali.',
  'confirm.magiclink-button': 'Masuk',
  'confirm.email_change': 'Konfirmasi {email} sebagai alamat email akun {name} Anda.',
  'confirm.email_change-button': 'Konfirmasi alamat email',

  'confirm.number': 'Masukkan angka yang ditampilkan di jendela tempat Anda meminta email ini.',
  'confirm.number-device':
    'Masukkan angka yang ditampilkan di jendela tempat Anda meminta email ini: {browser} di {system}.',
  'confirm.number-button': 'Konfirmasi',
  'confirm.number-warning':
    'Jika Anda tidak meminta email ini, tutup halaman ini. Jangan pernah memasukkan angka yang dikirim orang lain.',
  'confirm.canceled':
    'Angka yang salah dimasukkan terlalu sering. Di jendela tempat Anda meminta email, masukkan kode dari email atau kirim kode baru.',
  'confirm.done': 'Kembali ke browser tempat Anda mulai. Halaman di sana berlanjut secara otomatis.',
  'confirm.closed': 'Jika Anda menutup halaman itu, masuk saja di perangkat ini.',
  'confirm.sign-in': 'Masuk di perangkat ini',
  'confirm.number-link': 'Tautan ini untuk {email} di {name}.',
  'unlocked.password': 'Pilih kata sandi baru',
  'page.link-expired-invite': 'Undangan ini sudah digunakan atau kedaluwarsa',
  'link-expired.invite':
    'Jika Anda sudah bergabung, masuk. Jika belum, dapatkan kode lewat email, atau minta undangan lain.',
  'field.number': 'Angka di jendela lain',
  'field.number-wrong': 'Angka salah. Periksa jendela lain dan coba lagi.',

  'page.cancel-change': 'Batalkan perubahan email?',
  'page.change-canceled': 'Perubahan dibatalkan',
  'page.email-changed': 'Alamat email diubah',
  'cancel-change.text':
    'Seseorang meminta perubahan alamat email akun Anda. Jika bukan Anda, batalkan perubahan.',
  'cancel-change.to':
    'Seseorang meminta perubahan alamat email akun Anda menjadi {email}. Jika bukan Anda, batalkan perubahan.',
  'cancel-change.button': 'Batalkan perubahan',
  'change-canceled.text':
    'Alamat email Anda tetap sama. Jika Anda tidak meminta perubahan, pilih kata sandi baru sekarang. Anda akan dikeluarkan dari semua perangkat lain.',
  'change-canceled.password': 'Pilih kata sandi baru',
  'email-changed.text': 'Alamat email baru akun Anda sudah dikonfirmasi. Anda dapat menutup jendela ini.',

  'page.remove-factors': 'Hapus verifikasi dua langkah?',
  'page.remove-factors-done': 'Penghapusan dijadwalkan',
  'remove-factors.text':
    'Jika Anda mengonfirmasi, verifikasi dua langkah akan dihapus dari akun {email} pada {when}. Setelah itu, Anda masuk tanpa langkah kedua.',
  'remove-factors.found':
    'Jika Anda dapat menggunakan langkah kedua lagi sebelum itu, masuk dengannya untuk membatalkan penghapusan.',
  'remove-factors.button': 'Konfirmasi penghapusan',
  'remove-factors.not-me':
    'Jika Anda tidak meminta penghapusan ini, tutup halaman ini. Seseorang mengetahui kata sandi Anda, jadi pilih yang baru.',
  'remove-factors-done.text':
    'Verifikasi dua langkah akan dihapus pada {when}. Kami akan mengirim email setelah selesai. Anda dapat menutup halaman ini.',
  'remove-factors-expired.text':
    'Tautan telah diganti atau kedaluwarsa, atau permintaan dibatalkan. Untuk meminta penghapusan lagi, masuk dan pilih “Saya tidak dapat menggunakan langkah kedua”.',
  'page.not-me': 'Amankan akun Anda',
  'not-me.new_device': 'Akun Anda digunakan untuk masuk di perangkat baru pada {when}.',
  'not-me.password_set': 'Kata sandi dibuat untuk akun Anda pada {when}.',
  'not-me.password_changed': 'Kata sandi Anda diubah pada {when}.',
  'not-me.email_changed': 'Alamat email Anda diubah pada {when}.',
  'not-me.phone_changed': 'Nomor telepon Anda diubah pada {when}.',
  'not-me.factor_added': 'Metode verifikasi ditambahkan ke akun Anda pada {when}.',
  'not-me.factor_removed': 'Metode verifikasi dihapus dari akun Anda pada {when}.',
  'not-me.factor_removal_requested':
    'Penghapusan verifikasi dua langkah diminta untuk akun Anda pada {when}.',
  'not-me.factors_reset': 'Verifikasi dua langkah dihapus dari akun Anda pada {when}.',
  'not-me.recovery_code_used': 'Kode pemulihan akun Anda digunakan pada {when}.',
  'not-me.passkey_added': 'Kunci sandi ditambahkan ke akun Anda pada {when}.',
  'not-me.identity_linked': 'Metode masuk ditambahkan ke akun Anda pada {when}.',
  'not-me.identity_unlinked': 'Metode masuk dihapus dari akun Anda pada {when}.',
  'not-me.app_connected': 'Aplikasi terhubung ke akun Anda pada {when}.',
  'not-me.then': 'Jika Anda memilih “Bukan saya”:',
  'not-me.new_device-undo': 'Perangkat baru akan dikeluarkan dan tidak dikenali lagi.',
  'not-me.password_changed-undo': 'Kata sandi saat ini tidak akan berfungsi lagi.',
  'not-me.email_changed-undo': 'Alamat email Anda akan dikembalikan menjadi {email}.',
  'not-me.phone_changed-undo': 'Nomor telepon sebelumnya akan dipulihkan.',
  'not-me.factor_added-undo': 'Metode verifikasi baru akan dihapus.',
  'not-me.factor_removed-undo':
    'Metode verifikasi yang dihapus tidak dapat dipulihkan. Tambahkan yang baru setelah Anda masuk lagi.',
  'not-me.factor_removal_requested-undo':
    'Penghapusan akan dibatalkan, dan verifikasi dua langkah tetap aktif.',
  'not-me.factors_reset-undo':
    'Metode verifikasi yang dihapus tidak dapat dipulihkan. Tambahkan yang baru setelah Anda masuk lagi.',
  'not-me.recovery_code_used-undo':
    'Kode pemulihan yang digunakan tetap tidak berlaku. Kode lainnya tetap berlaku.',
  'not-me.passkey_added-undo': 'Kunci sandi baru akan dihapus.',
  'not-me.identity_linked-undo': 'Metode masuk baru akan dihapus.',
  'not-me.identity_unlinked-undo':
    'Metode masuk yang dihapus tidak dapat dipulihkan. Tambahkan lagi setelah Anda masuk.',
  'not-me.app_connected-undo': 'Aplikasi akan kehilangan akses ke akun Anda.',
  'not-me.later': 'Perubahan berikutnya ini juga akan dibatalkan:',
  'not-me.sign-out':
    'Anda akan dikeluarkan dari semua perangkat dan semua aplikasi yang terhubung, dan kata sandi Anda tidak akan berfungsi lagi.',
  'not-me.back-in':
    'Untuk masuk lagi, masukkan kode yang akan kami kirim ke {email}, dan pilih kata sandi baru.',
  'not-me.device': 'Perangkat: {browser} di {system}',
  'not-me.later-password_set': 'Kata sandi dibuat, {when}',
  'not-me.later-password_changed': 'Kata sandi diubah, {when}',
  'not-me.later-email_changed': 'Alamat email diubah, {when}',
  'not-me.later-phone_changed': 'Nomor telepon diubah, {when}',
  'not-me.later-factor_added': 'Metode verifikasi ditambahkan, {when}',
  'not-me.later-recovery_codes_created': 'Kode pemulihan dibuat, {when}',
  'not-me.later-passkey_added': 'Kunci sandi ditambahkan, {when}',
  'not-me.later-identity_linked': 'Metode masuk ditambahkan, {when}',
  'not-me.later-app_connected': 'Aplikasi terhubung, {when}',
  'not-me.later-device': ', {browser} di {system}',
  'page.not-me-secured': 'Akun Anda sudah diamankan',
  'not-me-secured.text':
    'Anda mengamankan akun pada {when}. Perubahan di email ini tidak berlaku lagi, jadi Anda tidak memerlukan tautan ini.',
  'not-me-secured.help':
    'Jika masih ada yang tidak Anda kenali, pilih kata sandi baru. Anda akan dikeluarkan dari semua perangkat lain.',
  'not-me-expired.text':
    'Tautan di pemberitahuan keamanan ini tidak berfungsi lagi. Jika masih ada yang tidak Anda kenali, pilih kata sandi baru. Anda akan dikeluarkan dari semua perangkat lain.',
  'not-me.button': 'Bukan saya',
  'not-me.was-me': 'Jika ini memang Anda, Anda dapat menutup halaman ini. Tidak ada yang berubah.',
  'page.unlock': 'Buka kembali akses masuk',
  'unlock.text':
    'Akses masuk ke akun Anda dijeda setelah terlalu banyak kata sandi atau kode yang salah. Jika itu Anda, buka kembali akses masuk.',
  'unlock.button': 'Buka kembali akses masuk',
  'not-me.was-me-not': 'Jika Anda tidak mencoba masuk, tutup halaman ini. Akun Anda tetap terlindungi.',
  'page.unlocked': 'Akses masuk sudah dibuka',
  'page.unlocked-before': 'Akses masuk memang sudah dibuka',
  'unlocked.text': 'Anda dapat masuk lagi. Jika tidak ingat kata sandi, pilih yang baru sekarang.',
  'unlocked.button': 'Masuk',
  'page.secured': 'Akun Anda sudah aman',
  'secured.text':
    'Perubahan dibatalkan, dan Anda dikeluarkan dari semua perangkat. Pilih kata sandi baru untuk masuk lagi.',
  'secured.button': 'Pilih kata sandi baru',
  'secured.factor':
    'Setelah masuk, aktifkan verifikasi dua langkah di halaman akun Anda, jika tersedia. Fitur ini melindungi akun Anda meskipun seseorang mencuri kata sandi.',
  'secured.has-factor': 'Verifikasi dua langkah tetap aktif, jadi Anda juga memerlukan langkah kedua.',
  'secured.sso':
    'Anda dikeluarkan dari semua perangkat. Masuk lagi melalui organisasi Anda, dan beri tahu administratornya apa yang terjadi.',
  'secured.sso-button': 'Masuk dengan SSO',
  'secured.none':
    'Anda dikeluarkan dari semua perangkat, dan kata sandi Anda tidak berfungsi lagi. Alamat email Anda sebelumnya kini milik akun lain. Untuk masuk lagi, hubungi dukungan.',

  'field.code-empty': 'Masukkan kode Anda.',

  'plain.sent':
    'Kami telah mengirim email ke {email}. Jika Anda punya akun, masukkan kode dari email atau buka tautannya. Jika tidak, email menjelaskan langkah selanjutnya.',
  'plain.sent-confirm':
    'Kami telah mengirim kode ke {email}. Masukkan untuk mengonfirmasi alamat Anda, atau buka tautan di email.',
  'page.accounts': 'Pilih akun',
  'accounts.continue': 'Lanjutkan sebagai {name}',
  'accounts.guest': 'Lanjutkan sebagai tamu',
  'accounts.current': 'Masuk (terakhir digunakan)',
  'accounts.one-out':
    'Anda sudah keluar dari akun itu di sini. Anda mungkin masih masuk di aplikasi yang menggunakannya.',
  'accounts.all-out':
    'Anda sudah keluar dari semua akun. Anda mungkin masih masuk di aplikasi yang menggunakannya.',
  'accounts.manage': 'Buka akun Anda',
  'accounts.in': 'Masuk',
  'accounts.out': 'Sudah keluar',
  'accounts.sign-out': 'Keluar',
  'accounts.forget': 'Hapus dari browser ini',
  'accounts.guest-name': 'akun tamu',
  'accounts.save-guest': 'Untuk mempertahankan akun, lanjutkan sebagai tamu dan simpan.',
  'accounts.add': 'Gunakan akun lain',
  'accounts.sign-out-all': 'Keluar dari semua akun',
  'page.with': 'Lanjutkan untuk masuk?',
  'with.text': 'Anda membuka tautan dari situs lain untuk masuk dengan {connection}.',
  'with.button': 'Lanjutkan ke {connection}',
  'with.warning': 'Jika Anda tidak mengharapkan ini, tutup halaman ini. Anda tidak akan masuk.',
  'plain.sso': 'Untuk masuk sebagai {email}, gunakan SSO.',
  'plain.sso-button': 'Lanjutkan dengan SSO',
  'plain.join': 'Pilih kata sandi yang akan Anda gunakan untuk masuk mulai sekarang.',
  'plain.number': 'Jika Anda membuka tautan di perangkat lain, masukkan angka {number} di sana.',
  'plain.check': 'Saya sudah mengonfirmasi tautan di perangkat lain',
  'plain.unsaved':
    'Kata sandi baru Anda belum disimpan. Konfirmasi dahulu bahwa ini Anda, lalu masukkan kembali kata sandi baru.',
  'plain.unconfirmed': 'Tautan belum dikonfirmasi di perangkat lain.',
  'page.refused-app': 'Anda tidak dapat masuk lewat aplikasi ini',
  'refused.redirect_not_allowed': 'Alamat aplikasi tidak diizinkan di sini. Hubungi tim dukungan aplikasi.',
  'refused.redirect_not_allowed-hint':
    'Tambahkan {url} ke additional_redirect_urls di bagian [auth] pada supabase/config.toml, atau gunakan alamat di site_url.',
  'refused.pkce_required': 'Permintaan masuk dari aplikasi tidak lengkap. Hubungi tim dukungan aplikasi.',
  'refused.pkce_required-hint':
    'Kirim code_challenge dan code_challenge_method=s256 bersama redirect_to={url}. Untuk mengembalikan sesi di fragmen URL, atur implicit_return = true di bagian [account] pada supabase/plinth.toml.',
  'refused.bad_code_challenge':
    'Permintaan masuk dari aplikasi tidak lengkap. Hubungi tim dukungan aplikasi.',
  'refused.bad_code_challenge-hint':
    'code_challenge harus terdiri dari 43 hingga 128 karakter dari A-Z a-z 0-9 . _ ~ -, dan code_challenge_method harus s256 atau plain.',
  'plain.mfa': 'Buka aplikasi autentikator dan masukkan kode untuk {email} di {name}.',
  'plain.mfa-other':
    'Untuk menggunakan langkah kedua lain, atau jika milik Anda hilang dan tidak ada kode pemulihan, aktifkan JavaScript dan muat ulang halaman ini.',
  'plain.mfa-app': 'Gunakan aplikasi autentikator',
  'plain.as': 'Masuk sebagai {who}.',
  'plain.as-guest': 'Anda menggunakan akun tamu.',
  'plain.continue': 'Lanjutkan ke {host}',
  'plain.continue-hint': 'Anda akan segera dialihkan. Jika tidak terjadi apa-apa, gunakan tautan.',
  'plain.account': 'Akun Anda',
  'plain.sign-out': 'Keluar',
  'plain.connected': 'Akun yang ditautkan',
  'plain.needs-scripts': 'Untuk mengubah pengaturan akun, aktifkan JavaScript dan muat ulang halaman ini.',
  'plain.back': 'Kembali ke {name}',
  'plain.save-guest': 'Untuk menyimpan akun, aktifkan JavaScript dan buka akun Anda.',
  'plain.refused':
    'Halaman mungkin terbuka terlalu lama, atau formulir tidak berasal dari situs ini. Tidak ada yang berubah. Buka lagi halaman dan kirim ulang formulir.',
  'plain.failed': 'Terjadi masalah di pihak kami. Coba lagi sebentar lagi.',
  'plain.limited':
    'Terlalu banyak permintaan dari jaringan Anda. Tidak ada yang berubah. Tunggu sebentar, lalu buka lagi tautan.',

  'page.organizations': 'Organisasi',
  'page.invitation-open': 'Anda diundang',
  'page.invitation-other': 'Undangan ini untuk alamat lain',
  'page.invitation-unverified': 'Konfirmasi alamat email Anda dahulu',
  'page.invitation-expired': 'Undangan ini sudah kedaluwarsa',
  'page.invitation-used': 'Undangan ini sudah digunakan',
  'page.invitation-none': 'Undangan tidak ditemukan',
  'page.invitation-member': 'Anda sudah menjadi anggota',
  'organizations.guest': 'Tamu tidak dapat menggunakan organisasi. Simpan akun Anda atau masuk dahulu.',
  'field.organization-missing': 'Masukkan nama organisasi.',
  'field.slug-missing': 'Masukkan nama pendek organisasi.',
  'organizations.who': 'Masuk sebagai {who}',
  'organizations.mine': 'Organisasi Anda',
  'organizations.invitations': 'Undangan untuk Anda',
  'organizations.requests': 'Permintaan bergabung Anda',
  'organizations.waiting': 'Menunggu jawaban',
  'organizations.withdraw': 'Tarik',
  'organizations.as': 'Sebagai {role}',
  'organizations.open-mail': 'Untuk menerima, buka tautan di email.',
  'organizations.current': '{role} · Organisasi saat ini',
  'organizations.switch': 'Beralih',
  'organizations.none':
    'Anda belum menjadi anggota organisasi. Buat organisasi, atau minta administrator organisasi mengundang Anda.',
  'organizations.create-title': 'Buat organisasi',
  'organizations.name': 'Nama organisasi',
  'organizations.create': 'Buat organisasi',
  'organizations.ask-title': 'Minta bergabung ke organisasi',
  'organizations.slug': 'Nama pendek',
  'organizations.slug-hint': 'Anda mendapatkan nama pendek dari anggota, misalnya acme.',
  'organizations.message': 'Pesan untuk administrator (opsional)',
  'organizations.ask': 'Kirim permintaan',
  'organizations.created': 'Organisasi dibuat. Anda beralih ke organisasi itu.',
  'organizations.switched': 'Anda beralih ke organisasi lain.',
  'organizations.joined': 'Anda bergabung dengan organisasi.',
  'organizations.declined': 'Undangan ditolak.',
  'organizations.requested':
    'Permintaan dikirim. Organisasi akan muncul di sini setelah administrator menyetujuinya.',
  'organizations.withdrawn': 'Permintaan ditarik.',
  'organizations.left': 'Anda keluar dari organisasi.',
  'organizations.deleted': 'Organisasi dihapus.',
  'invitation.text': 'Anda diundang untuk bergabung dengan {organization}. Peran Anda: {role}.',
  'invitation.join': 'Gabung ke {organization}',
  'invitation.decline': 'Tolak',
  'invitation.other': 'Gunakan akun lain',
  'invitation.sign-in': 'Untuk menerima undangan, masuk sebagai {email}, atau buat akun dengan alamat ini.',
  'invitation.sign-in-link': 'Untuk menerima undangan, masuk atau buat akun.',
  'invitation.wrong': 'Undangan ini untuk {email}. Anda masuk sebagai {who}.',
  'invitation.unverified': 'Undangan ini untuk {email}, dan alamat akun Anda ini belum dikonfirmasi.',
  'invitation.expired': 'Minta orang yang mengundang Anda ke {organization} untuk mengirim undangan lain.',
  'invitation.used':
    'Jika Anda sudah bergabung dengan {organization}, buka organisasi Anda. Jika belum, minta undangan lain.',
  'invitation.none': 'Tautan tidak lengkap, atau undangan ditarik. Minta undangan lain.',
  'invitation.member': 'Akun Anda sudah menjadi anggota {organization}.',
  'invitation.to-list': 'Organisasi Anda',
};
