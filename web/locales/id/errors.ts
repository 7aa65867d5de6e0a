export const messages = {
  // general
  'error.network': 'Tidak dapat menghubungi server. Periksa koneksi Anda dan coba lagi.',
  'error.key-canceled':
    'Tidak ada kunci sandi atau kunci keamanan yang digunakan. Coba lagi. Jika perangkat ini tidak memiliki kunci untuk situs ini, pilih metode lain.',
  'error.key-not-added':
    'Tidak ada kunci yang ditambahkan. Coba lagi. Jika perangkat ini tidak dapat menyimpan kunci untuk situs ini, gunakan perangkat lain.',
  'error.key-known': 'Perangkat ini sudah memiliki kunci keamanan untuk akun Anda. Gunakan kunci itu.',
  'error.other': 'Terjadi masalah di pihak kami. Coba lagi sebentar lagi.',
  'error.unknown': 'Terjadi masalah di pihak kami. Coba lagi sebentar lagi.',
  'error.unexpected_failure': 'Terjadi masalah di pihak kami. Coba lagi sebentar lagi.',
  'error.validation_failed': 'Beberapa informasi tidak valid. Periksa isian Anda.',
  'error.bad_json': 'Permintaan tidak lengkap. Coba lagi.',
  'error.conflict': 'Orang lain mengubah data yang sama pada saat bersamaan. Coba lagi.',
  'error.request_timeout': 'Waktu permintaan habis. Coba lagi.',
  'error.request_entity_too_large': 'Teks yang Anda masukkan terlalu panjang. Persingkat dan coba lagi.',
  'error.feature_disabled': 'Fitur ini tidak tersedia di sini. Pilih opsi lain.',

  // token, user
  'error.bad_jwt': 'Sesi Anda sudah berakhir. Masuk lagi.',
  'error.not_admin': 'Hanya administrator yang dapat melakukan ini. Minta bantuan administrator.',
  'error.no_authorization': 'Anda belum masuk. Masuk terlebih dahulu.',
  'error.not_signed_in': 'Anda belum masuk. Masuk terlebih dahulu.',
  'error.user_not_found': 'Sesi Anda sudah berakhir. Masuk lagi.',
  'error.user_banned': 'Akun ini diblokir. Hubungi dukungan.',
  'error.session_not_kept':
    'Browser ini tidak menyimpan status masuk Anda. Izinkan cookie untuk situs ini, lalu masuk lagi.',
  'error.session_not_found': 'Anda dikeluarkan, di sini atau dari perangkat lain. Masuk lagi.',
  'error.session_expired': 'Sesi Anda sudah berakhir. Masuk lagi.',
  'error.refresh_token_not_found': 'Sesi Anda sudah berakhir. Masuk lagi.',
  'error.refresh_token_already_used': 'Sesi Anda sudah berakhir. Masuk lagi.',
  'error.unexpected_audience': 'Sesi Anda milik layanan lain. Masuk lagi.',
  'error.invalid_credentials':
    'Kata sandi salah, atau akun ini tidak memiliki kata sandi. Coba lagi, atau dapatkan kode lewat email jika Anda biasanya masuk dengan cara lain.',
  'error.insufficient_aal':
    'Tindakan ini memerlukan langkah kedua. Konfirmasi dahulu bahwa ini Anda dengan aplikasi autentikator.',

  // sign-up, email, phone
  'error.signup_disabled': 'Akun baru tidak dapat dibuat saat ini. Jika Anda sudah punya akun, masuk saja.',
  'error.user_already_exists':
    'Anda tidak dapat membuat akun dengan alamat ini. Jika ini alamat Anda, masuk saja.',
  'error.email_exists': 'Alamat ini tidak dapat digunakan. Masukkan alamat lain.',
  'error.phone_exists': 'Nomor ini tidak dapat digunakan. Masukkan nomor lain.',
  'error.email_provider_disabled': 'Masuk dengan email dinonaktifkan. Pilih cara lain untuk masuk.',
  'error.phone_provider_disabled': 'Masuk dengan telepon dinonaktifkan. Pilih cara lain untuk masuk.',
  'error.anonymous_provider_disabled': 'Akun tamu dinonaktifkan. Masuk atau buat akun.',
  'error.device_not_confirmed':
    'Anda belum pernah masuk di perangkat ini. Masuk dengan kode yang kami kirim lewat email.',
  'error.email_not_confirmed':
    'Alamat ini belum dikonfirmasi. Buka email yang kami kirim, atau minta kode baru.',
  'error.phone_not_confirmed': 'Nomor telepon ini belum dikonfirmasi. Minta kode baru.',
  'error.email_address_not_authorized':
    'Kami belum dapat mengirim email ke alamat ini. Masukkan alamat lain.',
  'error.email_address_invalid':
    'Kami tidak dapat mengirim email ke alamat ini. Periksa apakah ada kesalahan.',
  'error.email_address_not_provided':
    'Layanan lain tidak membagikan alamat email Anda. Izinkan layanan itu membagikannya, atau pilih cara lain untuk masuk.',
  'error.invite_not_found': 'Undangan ini tidak valid atau kedaluwarsa. Minta undangan baru.',
  'error.otp_expired':
    'Kode salah atau kedaluwarsa. Periksa kode, atau minta kode baru. Setelah lima kali salah, hanya kode baru yang berlaku.',
  'error.otp_disabled': 'Kami tidak dapat mengirim kode. Jika Anda belum punya akun, buat dahulu.',
  'error.sms_send_failed': 'Kami tidak dapat mengirim SMS. Periksa nomornya dan coba lagi sebentar lagi.',

  // password
  'error.weak_password': 'Kata sandi ini terlalu lemah. Ikuti persyaratan di bawah ini.',
  'error.weak_password-leaked': 'Kata sandi ini pernah muncul dalam kebocoran data. Pilih yang lain.',
  'error.same_password': 'Ini kata sandi Anda saat ini. Pilih yang berbeda.',
  'error.reauthentication_needed': 'Anda sudah lama masuk. Masuk lagi, lalu coba kembali.',
  'error.reauthentication_not_valid': 'Kode salah atau kedaluwarsa. Minta kode baru.',
  'error.current_password_invalid': 'Kata sandi saat ini salah. Periksa dan coba lagi.',
  'error.current_password_required':
    'Kata sandi saat ini belum diisi. Masukkan untuk melakukan perubahan ini.',

  // limits
  'error.overloaded': 'Server menerima terlalu banyak permintaan. Coba lagi sebentar lagi.',
  'error.over_request_rate_limit':
    'Terlalu banyak percobaan, mungkin oleh orang lain. Tunggu sebelum mencoba lagi, atau masuk dengan cara lain, misalnya dengan kode lewat email.',
  'error.over_email_send_rate_limit': 'Kami baru saja mengirim email. Tunggu sebentar sebelum meminta lagi.',
  'error.over_sms_send_rate_limit': 'Kami baru saja mengirim SMS. Tunggu sebentar sebelum meminta lagi.',
  'error.captcha_failed': 'Kami tidak dapat memastikan bahwa Anda manusia. Muat ulang halaman dan coba lagi.',

  // OAuth, PKCE
  'error.flow_state_not_found': 'Proses masuk ini sudah kedaluwarsa. Mulai lagi dari aplikasi.',
  'error.flow_state_expired': 'Proses masuk ini sudah kedaluwarsa. Mulai lagi dari aplikasi.',
  'error.flow_state_already_used': 'Permintaan masuk ini sudah digunakan. Mulai lagi dari aplikasi.',
  'error.oauth_client_state_not_found': 'Proses masuk ini sudah kedaluwarsa. Mulai lagi.',
  'error.oauth_client_state_expired': 'Proses masuk ini sudah kedaluwarsa. Mulai lagi.',
  'error.oauth_invalid_state': 'Proses masuk ini dimulai di browser lain. Mulai lagi di browser ini.',
  'error.bad_oauth_state': 'Proses masuk ini dimulai di browser lain. Mulai lagi di browser ini.',
  'error.bad_oauth_callback':
    'Layanan lain mengirim respons yang tidak lengkap. Mulai lagi, atau pilih cara lain untuk masuk.',
  'error.bad_code_verifier':
    'Proses masuk ini dimulai di aplikasi atau browser lain. Mulai lagi dari aplikasi.',
  'error.oauth_provider_not_supported': 'Metode masuk ini tidak tersedia. Pilih yang lain.',
  'error.provider_disabled': 'Metode masuk ini dinonaktifkan. Pilih yang lain.',
  'error.provider_email_needs_verification':
    'Layanan lain belum mengonfirmasi alamat email Anda. Jika kami mengirim email, buka email itu untuk mengonfirmasi. Jika tidak, konfirmasi di layanan lain dan coba lagi.',
  'error.web3_provider_disabled': 'Masuk dengan dompet dinonaktifkan. Pilih cara lain untuk masuk.',
  'error.web3_unsupported_chain': 'Dompet di jaringan ini tidak didukung. Pilih dompet lain.',
  'error.custom_provider_not_found': 'Metode masuk ini sudah tidak ada. Pilih yang lain.',
  'error.over_custom_provider_quota':
    'Jumlah maksimum metode masuk khusus sudah tercapai. Hapus satu sebelum menambahkan yang lain.',

  // identities
  'error.identity_not_found': 'Akun ini tidak lagi ditautkan. Muat ulang halaman.',
  'error.identity_already_exists':
    'Akun ini sudah ditautkan. Masuk dengan akun ini untuk melihat pemiliknya.',
  'error.single_identity_not_deletable':
    'Anda tidak dapat menghapus satu-satunya cara masuk. Tambahkan yang lain dahulu.',
  'error.email_conflict_identity_not_deletable':
    'Melepas tautan akun ini akan mengubah alamat email Anda menjadi milik pengguna lain. Ubah dahulu alamat email Anda, atau lepas tautan akun yang lain.',
  'error.manual_linking_disabled':
    'Anda tidak dapat menautkan akun di sini. Masuk dengan akun yang sudah ditautkan.',

  // SSO
  'error.user_sso_managed':
    'Organisasi Anda mengelola akun ini. Minta administratornya melakukan perubahan ini.',
  'error.sso_failed': 'Anda tidak dapat masuk melalui organisasi. Coba lagi, atau hubungi administratornya.',
  'error.sso_required': 'Organisasi Anda mewajibkan single sign-on untuk alamat email ini. Masuk dengan SSO.',
  'error.sso_not_allowed':
    'Organisasi Anda tidak mengizinkan akun ini masuk. Hubungi administrator organisasi Anda.',
  'error.sso_provider_not_found':
    'Single sign-on belum disiapkan untuk domain ini. Periksa domain, atau pilih cara lain untuk masuk.',
  'error.sso_provider_disabled':
    'Single sign-on organisasi Anda dinonaktifkan. Hubungi administrator organisasi Anda.',
  'error.sso_domain_already_exists': 'Domain ini sudah memiliki single sign-on. Pilih domain lain.',
  'error.saml_provider_disabled': 'Single sign-on dinonaktifkan. Pilih cara lain untuk masuk.',
  'error.saml_relay_state_not_found': 'Proses masuk ini sudah kedaluwarsa. Mulai lagi.',
  'error.saml_relay_state_expired': 'Proses masuk ini sudah kedaluwarsa. Mulai lagi.',
  'error.saml_idp_not_found':
    'Organisasi Anda tidak terhubung ke layanan ini. Hubungi administrator organisasi Anda.',
  'error.saml_idp_already_exists': 'Organisasi ini sudah terhubung. Ubah koneksi yang ada.',
  'error.saml_assertion_no_user_id': 'Organisasi Anda tidak mengirim ID pengguna. Hubungi administratornya.',
  'error.saml_assertion_no_email':
    'Organisasi Anda tidak mengirim alamat email Anda. Hubungi administratornya.',
  'error.saml_metadata_fetch_failed':
    'Tidak dapat menghubungi layanan single sign-on organisasi Anda. Coba lagi nanti.',
  'error.saml_entity_id_mismatch':
    'Respons tidak berasal dari layanan masuk yang disiapkan untuk organisasi Anda. Hubungi administrator organisasi Anda.',

  // MFA
  'error.too_many_enrolled_mfa_factors':
    'Jumlah maksimum langkah kedua sudah tercapai. Hapus satu sebelum menambahkan yang lain.',
  'error.mfa_factor_name_conflict': 'Anda sudah memiliki autentikator dengan nama ini. Pilih nama lain.',
  'error.mfa_factor_not_found': 'Autentikator ini sudah tidak ada. Muat ulang halaman.',
  'error.mfa_ip_address_mismatch': 'Jaringan Anda berubah. Masukkan kode yang sekarang ditampilkan aplikasi.',
  'error.mfa_challenge_expired':
    'Permintaan sudah kedaluwarsa. Masukkan kode yang sekarang ditampilkan aplikasi.',
  'error.mfa_verification_failed': 'Kode salah. Masukkan kode yang sekarang ditampilkan aplikasi.',
  'error.mfa_verification_rejected': 'Kode ditolak. Masuk lagi.',
  'error.mfa_verified_factor_exists':
    'Langkah kedua jenis ini sudah disiapkan. Hapus sebelum menyiapkan yang lain.',
  'error.mfa_phone_enroll_not_enabled':
    'Telepon tidak dapat ditambahkan sebagai langkah kedua di sini. Pilih langkah kedua yang lain.',
  'error.mfa_phone_verify_not_enabled':
    'Telepon tidak dapat digunakan sebagai langkah kedua di sini. Pilih langkah kedua yang lain.',
  'error.mfa_totp_enroll_not_enabled':
    'Aplikasi autentikator tidak dapat ditambahkan di sini. Pilih langkah kedua yang lain.',
  'error.mfa_totp_verify_not_enabled':
    'Aplikasi autentikator tidak dapat digunakan di sini. Pilih langkah kedua yang lain.',
  'error.mfa_webauthn_enroll_not_enabled':
    'Kunci keamanan tidak dapat ditambahkan di sini. Pilih langkah kedua yang lain.',
  'error.mfa_webauthn_verify_not_enabled':
    'Kunci keamanan tidak dapat digunakan di sini. Pilih langkah kedua yang lain.',

  // passkeys
  'error.passkey_disabled': 'Kunci sandi dinonaktifkan. Pilih cara lain untuk masuk.',
  'error.too_many_passkeys':
    'Jumlah maksimum kunci sandi sudah tercapai. Hapus satu sebelum menambahkan yang lain.',
  'error.webauthn_credential_not_found':
    'Kunci sandi ini tidak dapat digunakan di sini. Pilih cara lain untuk masuk.',
  'error.webauthn_credential_exists':
    'Perangkat ini sudah memiliki kunci sandi untuk akun Anda. Gunakan kunci sandi itu.',
  'error.webauthn_challenge_not_found': 'Permintaan ini sudah digunakan. Coba lagi.',
  'error.webauthn_challenge_expired': 'Permintaan sudah kedaluwarsa. Coba lagi.',
  'error.webauthn_verification_failed':
    'Kunci sandi tidak dapat diverifikasi. Coba lagi, atau pilih metode lain.',

  // OAuth server
  'error.oauth_client_not_found': 'Aplikasi ini tidak lagi terdaftar di sini. Hubungi tim dukungan aplikasi.',
  'error.oauth_authorization_not_found':
    'Permintaan ini kedaluwarsa atau milik akun lain. Kembali ke aplikasi dan mulai lagi.',
  'error.oauth_consent_not_found': 'Aplikasi ini tidak lagi memiliki akses. Muat ulang halaman.',
  'error.oauth_dynamic_client_registration_disabled':
    'Aplikasi tidak dapat mendaftarkan diri di sini. Hubungi dukungan.',

  // hooks
  'error.hook_timeout': 'Pemeriksaan wajib memakan waktu terlalu lama. Coba lagi.',
  'error.hook_timeout_after_retry': 'Pemeriksaan wajib memakan waktu terlalu lama. Coba lagi.',
  'error.hook_payload_over_size_limit': 'Pemeriksaan wajib tidak dapat diselesaikan. Hubungi dukungan.',
  'error.hook_payload_invalid_content_type': 'Pemeriksaan wajib tidak dapat diselesaikan. Hubungi dukungan.',

  // /account/api
  'error.factor_required':
    'Layanan ini mewajibkan verifikasi dua langkah. Untuk menyiapkannya, buka akun Anda di browser dengan JavaScript aktif.',
  'error.access_denied':
    'Anda membatalkan proses masuk di layanan lain. Coba lagi, atau pilih cara lain untuk masuk.',
  'error.redirect_not_allowed':
    'Anda sudah masuk, tetapi alamat aplikasi tidak diizinkan di sini. Hubungi tim dukungan aplikasi.',
  'error.pkce_required': 'Permintaan masuk dari aplikasi tidak lengkap. Hubungi tim dukungan aplikasi.',
  'error.bad_code_challenge': 'Permintaan masuk dari aplikasi tidak lengkap. Hubungi tim dukungan aplikasi.',
  'error.not_same_origin': 'Permintaan tidak berasal dari halaman ini. Muat ulang dan coba lagi.',
  'error.wallet-refused':
    'Dompet tidak menandatangani permintaan. Coba lagi, atau pilih cara lain untuk masuk.',
  'error.wallet_refused': 'Tanda tangan dompet tidak diterima. Coba lagi, atau pilih cara lain untuk masuk.',
  'error.not_a_guest': 'Anda tidak menggunakan akun tamu. Muat ulang halaman.',
  'error.hand_over_off':
    'Data tamu Anda tidak dapat dipindahkan ke akun ini. Masuk tanpa data itu, atau gunakan alamat lain.',
  'error.hand_over_failed':
    'Data tamu Anda tidak dapat dipindahkan, dan tidak ada yang berubah. Coba lagi, atau kembali ke akun tamu.',
  'error.guest_gone': 'Akun tamu sudah tidak ada. Lanjutkan dengan akun Anda.',
  'error.sign_in_stale': 'Anda sudah lama masuk. Masuk lagi untuk memindahkan data tamu Anda.',
  'error.consent_answered': 'Anda sudah menanggapi permintaan ini. Kembali ke aplikasi.',

  // the session module
  'error.jwks_empty': 'Server tidak dapat memverifikasi sesi Anda saat ini. Coba lagi nanti.',
  'error.no_matching_key': 'Kunci penandatanganan server telah berubah. Muat ulang halaman.',
  'error.bad_signature': 'Sesi Anda tidak dapat diverifikasi. Masuk lagi.',
  'error.expired': 'Sesi Anda sudah berakhir. Jika Anda baru saja masuk, periksa jam perangkat ini.',
  'error.missing_exp': 'Sesi Anda tidak dapat diverifikasi. Masuk lagi.',
  'error.bad_algorithm': 'Sesi Anda tidak dapat diverifikasi. Masuk lagi.',
  'error.url_and_key_required': 'Pengaturan halaman ini belum lengkap. Hubungi dukungan.',

  // organizations, whose functions belong to the project
  'error.account_required': 'Tamu tidak dapat menggunakan organisasi. Simpan akun Anda atau masuk dahulu.',
  'error.already_member': 'Akun ini sudah menjadi anggota. Tidak ada yang berubah.',
  'error.invalid_input': 'Beberapa informasi tidak valid. Periksa isian Anda.',
  'error.invitation_expired': 'Undangan ini sudah kedaluwarsa. Minta undangan lain.',
  'error.invitation_for_other_email':
    'Undangan ini untuk alamat email lain. Masuk dengan alamat itu, dan konfirmasi.',
  'error.invitation_not_found': 'Undangan ini sudah tidak ada. Minta undangan lain.',
  'error.invitation_used': 'Undangan ini sudah digunakan. Minta undangan lain.',
  'error.last_owner':
    'Organisasi memerlukan pemilik. Jadikan anggota lain pemilik dahulu, atau hapus organisasi.',
  'error.limit_reached': 'Batas sudah tercapai. Hapus yang tidak lagi diperlukan, lalu coba lagi.',
  'error.member_not_found': 'Orang ini bukan anggota lagi. Muat ulang halaman.',
  'error.not_allowed': 'Peran Anda tidak mengizinkan ini. Minta bantuan pemilik.',
  'error.organization_not_found':
    'Organisasi seperti itu tidak ditemukan. Periksa isian Anda, dan tanyakan kepada anggota apakah organisasi menerima permintaan.',
  'error.request_not_found': 'Permintaan ini sudah dijawab atau ditarik. Muat ulang halaman.',
  'error.role_not_found': 'Peran ini sudah tidak ada. Muat ulang halaman.',
  'error.role_in_use': 'Beberapa anggota atau undangan memiliki peran ini. Beri mereka peran lain dahulu.',
  'error.role_taken': 'Peran lain memiliki nama yang mirip. Pilih nama lain.',
  'error.session_required': 'Sesi Anda sudah berakhir. Masuk lagi.',
  'error.slug_taken': 'Organisasi lain memiliki nama pendek ini. Pilih yang lain.',
};
