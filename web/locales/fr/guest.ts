export const messages = {
  'guest.intro':
    'Vous n’avez pas besoin de compte. Vous pouvez accéder à vos données dans ce navigateur jusqu’à ce que vous vous déconnectiez. Pour les conserver ensuite, ajoutez une façon de vous connecter.',
  'guest.off': 'Les comptes invités sont désactivés. Connectez-vous ou créez un compte.',

  'guest.leave-title': 'Se déconnecter de votre compte invité\u202f?',
  'guest.leave-text':
    'Il est impossible de se reconnecter à un compte invité. Si vous vous déconnectez, vous perdrez tout ce que vous avez ici.',
  'guest.leave': 'Se déconnecter et perdre mes données',
  'guest.leave-cancel': 'Annuler',

  'upgrade.intro':
    'Vous utilisez un compte invité. Choisissez comment vous vous connecterez. Vous conserverez tout ce que vous avez ici.',
  'upgrade.submit': 'Enregistrer mon compte',
  'upgrade.by-code': 'Recevoir plutôt un code par e‑mail',
  'upgrade.none': 'Les comptes invités ne peuvent pas être enregistrés ici. Contactez l’assistance.',
  'upgrade.sent':
    'Nous avons envoyé un code à {length} chiffres à {email}. Saisissez-le ici ou ouvrez le lien de l’e‑mail. D’ici là, vous restez invité.',
  'upgrade.if-yours': 'Si cette adresse est la vôtre, connectez-vous à votre compte ci-dessous.',
  'upgrade.taken':
    'Un autre compte utilise déjà cette adresse e‑mail. Si c’est le vôtre, connectez-vous-y ci-dessous.',
  'upgrade.have': 'Vous avez déjà un compte\u202f?',
  'upgrade.with-hook':
    'Connectez-vous-y et transférez-y vos données d’invité. Nous vous demanderons votre accord avant tout transfert.',
  'upgrade.without-hook':
    'Vos données d’invité ne peuvent pas être transférées vers un autre compte. Si vous vous connectez à un autre compte, vous n’y aurez plus accès.',
  'upgrade.elsewhere': 'Se connecter à mon compte',
  'upgrade.leave': 'Se connecter sans vos données d’invité',
  'upgrade.done': 'Vos données n’ont pas changé. Désormais, connectez-vous avec {who}.',
  'upgrade.done-linked':
    'Vos données n’ont pas changé. Vous pouvez maintenant vous reconnecter à tout moment.',
  'upgrade.member':
    'Vous êtes connecté en tant que {who}. Ce n’est pas un compte invité, vous n’avez donc pas besoin de l’enregistrer.',
  'upgrade.change': 'Utiliser une autre adresse',
  'page.upgrade-member': 'Votre compte est déjà enregistré',
  'page.upgrade-done': 'Compte enregistré',

  'page.hand-over': 'Transférer vos données d’invité\u202f?',
  'hand-over.text':
    'Vous êtes connecté en tant que {who}. Si vous transférez vos données d’invité vers ce compte, le compte invité sera supprimé.',
  'hand-over.submit': 'Transférer les données d’invité',
  'hand-over.leave': 'Abandonner les données d’invité',
  'hand-over.leave-hint': 'Si vous abandonnez vos données d’invité, vous n’y aurez plus accès.',
  'hand-over.back': 'Retour au compte invité',
  'hand-over.fresh': 'Se reconnecter',
  'hand-over.sign-in': 'Connectez-vous au compte vers lequel vous voulez transférer vos données d’invité.',
  'page.hand-over-done': 'Données d’invité transférées',
  'hand-over.done': 'Vos données d’invité appartiennent maintenant à {who}.',

  'still-in.text':
    'L’application vous a déconnecté. Dans ce navigateur, vous êtes toujours connecté à votre compte en tant que {who}.',
  'still-in.guest':
    'L’application vous a déconnecté. Dans ce navigateur, vous êtes toujours connecté en tant qu’invité. Si vous vous déconnectez ici, vous n’aurez plus accès au compte invité.',
  'still-in.submit': 'Se déconnecter de votre compte',
  'still-in.others': 'Vous êtes aussi connecté en tant que {accounts}.',
  'signed-out.all-accounts': 'Se déconnecter de tous les comptes',
  'signed-out.kept':
    'La page de connexion de ce navigateur affiche encore {accounts}. Sur un ordinateur partagé, retirez votre adresse ici.',
  'signed-out.forget': 'Retirer de ce navigateur',
  'signed-out.forgotten': 'Retiré de ce navigateur.',
  'signed-out.choose': 'Choisissez un compte',
  'still-in.back': 'Retour à {host}',
};
