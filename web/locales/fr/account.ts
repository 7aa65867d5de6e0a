/**
 * Français. Vouvoiement. Guillemets « … », espaces insécables avant ; : ! ? et dans les guillemets.
 *
 * Termes : sign in = se connecter, sign out = se déconnecter, account = compte, two-step verification = validation en deux
 * étapes, second step = deuxième étape, recovery code = code de récupération, passkey = clé d’accès, security key = clé de
 * sécurité, authenticator app = application d’authentification, wallet = portefeuille, support = assistance.
 */
export const messages = {
  'page.sign-in': 'Se connecter',
  'page.password': 'Saisissez votre mot de passe',
  'page.welcome-back': 'Bon retour',
  'page.sign-up': 'Créez votre compte',
  'page.code': 'Saisissez votre code',
  'page.code-ask': 'Se connecter avec un code',
  'page.recover': 'Réinitialisez votre mot de passe',
  'page.sso': 'Se connecter avec le SSO',
  'page.mfa': 'Confirmez votre identité',
  'page.two-step': 'Configurez la validation en deux étapes',
  'page.new-password': 'Choisissez un nouveau mot de passe',
  'page.join': 'Choisissez comment vous connecter',
  'page.security': 'Votre compte',
  'page.guest': 'Continuer en tant qu’invité',
  'page.upgrade': 'Enregistrez votre compte',
  'page.organization': 'Organisation',
  'page.consent': 'Autoriser l’accès\u202f?',
  'page.confirm': 'Confirmez votre adresse e‑mail',
  'page.confirm-other': 'Consultez votre autre boîte de réception',
  'page.continue': 'Redirection en cours',
  'page.link-expired': 'Ce lien a expiré',
  'page.signed-out': 'Vous êtes déconnecté',
  'page.still-in': 'Vous êtes toujours connecté à votre compte',
  'page.others-in': 'Vous êtes toujours connecté à un autre compte',
  'page.error': 'Page introuvable',
  'page.broken': 'Impossible de charger cette page',
  'page.title': '{page} · {name}',

  'field.email': 'Adresse e‑mail',
  'field.your-email': 'votre adresse e‑mail',
  'field.email-or-phone': 'Adresse e‑mail ou numéro de téléphone',
  'field.email-or-phone-missing': 'Saisissez votre adresse e‑mail ou votre numéro de téléphone.',
  'field.email-or-phone-wrong':
    'Saisissez une adresse e‑mail, comme nom@example.com, ou un numéro de téléphone avec l’indicatif du pays, comme +33.',
  'field.phone': 'Numéro de téléphone',
  'field.phone-wrong': 'Saisissez un numéro de téléphone avec l’indicatif du pays, comme +33.',
  'field.password': 'Mot de passe',
  'field.new-password': 'Nouveau mot de passe',
  'field.current-password': 'Mot de passe actuel',
  'field.code': 'Code',
  'field.factor-name': 'Nom de l’appareil',
  'field.factor-name-hint':
    'Choisissez un nom que vous reconnaîtrez plus tard, comme «\u00a0Mon téléphone\u00a0».',
  'field.email-missing': 'Saisissez votre adresse e‑mail.',
  'field.email-wrong': 'Saisissez une adresse e‑mail au format nom@example.com.',
  'field.password-missing': 'Saisissez votre mot de passe.',
  'field.password-weak': 'Votre mot de passe ne respecte pas les exigences ci-dessous.',
  'field.code-missing': 'Saisissez votre code à {length} chiffres.',
  'field.current-password-missing': 'Saisissez votre mot de passe actuel.',

  'form.retry-in':
    'Réessayez dans {seconds, plural, one {# seconde} many {# de secondes} other {# secondes}}',
  'form.retry-in-minutes':
    'Réessayez dans {minutes, plural, one {# minute} many {# de minutes} other {# minutes}}',
  'form.retry-now': 'Vous pouvez réessayer maintenant.',

  'sign-in.to': 'pour continuer vers {host}',
  'sign-in.next': 'Continuer',
  'sign-in.others': 'Autres façons de se connecter',
  'sign-in.last-used': 'Dernière utilisée',
  'sign-in.submit': 'Se connecter',
  'sign-in.forgot': 'Mot de passe oublié\u202f?',
  'sign-in.send-code': 'Recevoir un code par e‑mail',
  'sign-in.with': 'Continuer avec {provider}',
  'sign-in.passkey': 'Se connecter avec une clé d’accès',
  'sign-in.wallet': 'Se connecter avec un portefeuille',
  'sign-in.sso': 'Se connecter avec le SSO',
  'sso.intro': 'Saisissez votre adresse e‑mail professionnelle ou le domaine de votre organisation.',
  'sso.domain': 'Adresse e‑mail professionnelle ou domaine',
  'sso.domain-hint': 'Par exemple, nom@entreprise.fr ou entreprise.fr',
  'field.domain-wrong':
    'Saisissez votre adresse e‑mail professionnelle ou son domaine, c’est-à-dire la partie après le @.',
  'sso.submit': 'Continuer',
  'sso.other': 'Se connecter autrement',
  'sign-in.again': 'Reconnectez-vous pour confirmer votre identité.',
  'sign-in.guest': 'Continuer en tant qu’invité',
  'sign-in.or': 'ou',
  'sign-in.new': 'Première visite\u202f?',
  'sign-in.create': 'Créer un compte',
  'sign-in.none': 'La connexion est désactivée pour ce projet. Contactez son administrateur.',
  'sign-in.already': 'Vous êtes connecté en tant que {who}.',
  'sign-in.already-guest': 'Vous êtes connecté en tant qu’invité.',
  'sign-in.continue': 'Continuer',
  'sign-in.continue-to': 'Continuer vers {host}',
  'sign-in.other': 'Utiliser un autre compte',
  'ended.password_changed':
    'Vous avez été déconnecté, car votre mot de passe a été modifié. Si ce n’est pas vous, réinitialisez-le.',
  'ended.secured':
    'Vous avez été déconnecté partout pour protéger ce compte. Si c’est le vôtre, connectez-vous avec votre nouveau mot de passe ou réinitialisez-le.',
  'ended.factors_reset': 'Vous avez été déconnecté, car la validation en deux étapes a été supprimée.',
  'ended.elsewhere': 'Vous avez été déconnecté depuis un autre appareil.',
  'ended.support': 'Vous avez été déconnecté par l’assistance.',
  'ended.inactive': 'Vous avez été déconnecté après une période d’inactivité.',
  'ended.expired': 'Vous avez été déconnecté, car votre session a atteint sa durée maximale.',
  'ended.replaced':
    'Vous avez été déconnecté, car vous vous êtes connecté ailleurs. Une seule session est autorisée.',
  'ended.other':
    'Vous avez été déconnecté, ici ou depuis un autre appareil. Reconnectez-vous pour continuer.',

  'sign-up.unknown':
    'Il n’y a pas encore de compte avec cette adresse. Créez-en un, ou corrigez l’adresse si elle contient une faute de frappe.',
  'sign-up.submit': 'Créer un compte',
  'sign-up.terms': 'En créant un compte, vous acceptez les <0>conditions d’utilisation</0>.',
  'sign-up.privacy': 'En créant un compte, vous acceptez la <1>politique de confidentialité</1>.',
  'sign-up.terms-and-privacy':
    'En créant un compte, vous acceptez les <0>conditions d’utilisation</0> et la <1>politique de confidentialité</1>.',
  'sign-up.phone': 'Utiliser plutôt un numéro de téléphone',
  'sign-up.have': 'Vous avez déjà un compte\u202f?',
  'sign-up.sign-in': 'Se connecter',

  'password.change': 'Modifier',
  'password.rules': 'Votre mot de passe doit contenir',
  'password.length':
    'au moins {count, plural, one {# caractère} many {# de caractères} other {# caractères}}',
  'password.letter': 'une lettre',
  'password.lower': 'une lettre minuscule',
  'password.upper': 'une lettre majuscule',
  'password.digit': 'un chiffre',
  'password.symbol': 'un symbole, comme\u202f! ou\u202f?',
  'password.met': '(fait)',
  'password.unmet': '(manquant)',

  'code.sent':
    'Nous avons envoyé un e‑mail à {email}. Si vous avez un compte, il contient un code à {length} chiffres. Sinon, il explique quoi faire.',
  'code.sent-new-device':
    'C’est la première fois que vous vous connectez sur cet appareil. Pour confirmer votre identité, saisissez le code à {length} chiffres envoyé à {email}.',
  'code.sent-confirm':
    'Nous avons envoyé un code à {length} chiffres à {email}. Saisissez-le pour confirmer votre adresse.',
  'code.number': 'Si vous ouvrez le lien de l’e‑mail sur un autre appareil, saisissez-y le numéro {number}.',
  'code.canceled':
    'Le lien n’est plus valide, car un mauvais numéro a été saisi trop souvent. Saisissez le code de l’e‑mail ou demandez un nouvel e‑mail.',
  'code.sent-phone': 'Nous avons envoyé un SMS avec un code à {length} chiffres au {phone}.',
  'code.phone-intro':
    'Nous vous enverrons un code de connexion par SMS. Vous n’avez pas besoin de mot de passe.',
  'code.submit': 'Continuer',
  'code.resend': 'Envoyer un nouveau code',
  'code.resend-in': 'Envoyer un nouveau code dans {seconds} s',
  'code.resent': 'Nous avons envoyé un nouveau code.',
  'code.other': 'Utiliser une autre adresse',
  'code.other-number': 'Utiliser un autre numéro',
  'code.back': 'Retour à la connexion',
  'code.send': 'Envoyer le code',
  'code.recover-intro': 'Nous vous enverrons par e‑mail un code pour choisir un nouveau mot de passe.',
  'code.sign-in-intro':
    'Nous vous enverrons un code de connexion par e‑mail. Vous n’avez pas besoin de mot de passe.',

  'mfa.intro':
    'Ouvrez votre application d’authentification et saisissez le code à {length} chiffres pour {account} sur {name}.',
  'mfa.unnamed': 'Application d’authentification',
  'mfa.submit': 'Confirmer',
  'mfa.leave': 'Se déconnecter',

  'new-password.intro': 'Vous êtes connecté. Choisissez le mot de passe que vous utiliserez désormais.',
  'new-password.intro-as':
    'Vous êtes connecté en tant que {email}. Choisissez le mot de passe que vous utiliserez désormais.',
  'new-password.others': 'Vous serez déconnecté partout ailleurs.',
  'new-password.later': 'Pas maintenant',
  'new-password.submit': 'Enregistrer le mot de passe',

  'confirm.text': 'Confirmez {email} pour continuer. Ce lien ne fonctionne qu’une seule fois.',
  'confirm.button': 'Continuer',
  'confirm-other.text': 'Cette adresse est confirmée. Ouvrez maintenant le lien envoyé à {email}.',
  'confirm-other.home': 'Accéder à votre compte',
  'continue.text': 'Si rien ne se passe, utilisez ce lien.',
  'continue.link': 'Continuer vers l’application',
  'link-expired.text': 'Ce lien a déjà été utilisé ou a expiré. Demandez-en un nouveau.',
  'link-expired.sign-in': 'Se connecter',

  'signed-out.text': 'Vous êtes peut-être encore connecté à des applications qui utilisent ce compte.',
  'signed-out.alone': 'Vous pouvez fermer cette fenêtre.',
  'signed-out.all':
    'Vous êtes aussi déconnecté des applications de ce navigateur. Vous pouvez fermer cette fenêtre.',
  'signed-out.apps': 'Dans ce navigateur, vous êtes toujours connecté à {apps}.',
  'signed-out.others':
    'Vous êtes déconnecté de ce compte. Dans ce navigateur, vous êtes toujours connecté en tant que {accounts}.',
  'signed-out.guest-in':
    'Vous êtes déconnecté de ce compte. Dans ce navigateur, vous êtes toujours connecté en tant qu’invité.',
  'signed-out.again': 'Se reconnecter',

  'error.text': 'Vérifiez l’adresse web. La page a peut-être été déplacée ou supprimée.',
  'error.home': 'Accéder à votre compte',
  'error.part_missing':
    'Une partie de cette page n’a pas pu être chargée. Vérifiez votre connexion, puis rechargez la page.',
  'error.load-again': 'Recharger',

  'footer.support': 'Aide',
  'footer.terms': 'Conditions d’utilisation',
  'footer.privacy': 'Confidentialité',
};
