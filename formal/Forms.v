(** Values modulo p as polynomials in a caller's operands, for code that only calls routines. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Polynomial Expression Options.
Import ListNotations.
Open Scope Z_scope.

(** More terms than this are not multiplied out: the answer would take too long. *)
Definition most_work : Z := 2 ^ 18.

Definition work (p : polynomial) : Z :=
  fold_right (fun t n => n + 1 + Z.of_nat (length (snd t))) 0 p.

(** Products that count as variables: factors of the first one, of the second one, and so on. A
    formula of many products would be too long if all were multiplied out. *)
Record algebra := Algebra {
  prime : Z;
  unit : Z;                              (* times the variable: the product modulo p *)
  first : variable;
  products : list (polynomial * polynomial)
}.

Definition same_term (s t : Z * monomial) : bool :=
  (fst s =? fst t) && if list_eq_dec Pos.eq_dec (snd s) (snd t) then true else false.

Fixpoint same (f g : polynomial) : bool :=
  match f, g with
  | [], [] => true
  | s :: f', t :: g' => same_term s t && same f' g'
  | _, _ => false
  end.

Fixpoint find_product (next : variable) (table : list (polynomial * polynomial))
    (f g : polynomial) : option variable :=
  match table with
  | [] => None
  | (a, b) :: rest =>
      if same a f && same b g || same a g && same b f then Some next
      else find_product (Pos.succ next) rest f g
  end.

(** A polynomial as a number times one whose coefficients have no common factor. *)
Definition primitive (f : polynomial) : Z * polynomial :=
  let d := fold_right (fun t d => if d =? 1 then 1 else Z.gcd (fst t) d) 0 f in
  let u := match f with (k, _) :: _ => if k <? 0 then - d else d | [] => 1 end in
  let g := map (fun t => (fst t / u, snd t)) f in
  if same (scale u g) f then (u, g) else (1, f).

Section Modulo.
  Variable a : algebra.
  Notation p := (prime a).

  Definition least (k : Z) : Z :=
    if 2 * Z.abs k <=? p then k   (* as most are: no division *)
    else let m := k mod p in if p <? 2 * m then m - p else m.

  (** With coefficients of at most p/2, and none that is 0. *)
  Definition reduced (f : polynomial) : polynomial :=
    filter (fun t => negb (fst t =? 0)) (map (fun t => (least (fst t), snd t)) (normal f)).

  Definition product_form (f g : polynomial) : option polynomial :=
    let (u, f') := primitive f in
    let (v, g') := primitive g in
    match find_product (first a) (products a) f' g' with
    | Some y => Some (reduced [(u * v * unit a, [y])])
    | None => _ <- guard (work f * work g <=? most_work); Some (reduced (times f g))
    end.

  Fixpoint form_of (forms : list polynomial) (e : expression) : option polynomial :=
    match e with
    | Value k => nth_error forms k
    | Integer z => Some (reduced (constant z))
    | Plus d e => f <- form_of forms d; g <- form_of forms e; Some (reduced (f ++ g))
    | Minus d e => f <- form_of forms d; g <- form_of forms e; Some (reduced (minus f g))
    | Times d e => f <- form_of forms d; g <- form_of forms e; product_form f g
    end.

  (** The forms with one more for each number. *)
  Fixpoint forms_until (forms : list polynomial) (l : list expression) : option (list polynomial) :=
    match l with
    | [] => Some forms
    | e :: l' => f <- form_of forms e; forms_until (forms ++ [f]) l'
    end.

  Definition same_modulo (f g : polynomial) : bool :=
    match reduced (minus f g) with [] => true | _ => false end.

  (** ** The proof *)

  Hypothesis positive : p <> 0.

  Lemma divide_sum x y z : (p | x - y) -> (p | y - z) -> (p | x - z).
  Proof. intros [u U] [v V]. exists (u + v). nia. Qed.

  Lemma least_right k : exists q, k = p * q + least k.
  Proof.
    unfold least. destruct (_ <=? _); [exists 0; lia|].
    pose proof (Z.div_mod k p positive) as D. destruct (p <? 2 * (k mod p)).
    - exists (k / p + 1). lia.
    - exists (k / p). lia.
  Qed.

  Lemma reduced_right x f : (p | value x f - value x (reduced f)).
  Proof.
    rewrite <- (value_normal x f). unfold reduced. induction (normal f) as [|[k m] l IH].
    - exists 0. reflexivity.
    - cbn [map fst snd filter value]. destruct IH as [u U]. destruct (least_right k) as [q Q].
      destruct (Z.eqb_spec (least k) 0) as [Z0|]; cbn [negb value fst snd];
        exists (u + q * product x m); [rewrite Z0 in Q|]; nia.
  Qed.

  Lemma same_right f : forall g, same f g = true -> f = g.
  Proof.
    induction f as [|s f IH]; intros [|t g]; cbn [same]; try discriminate; auto.
    intros H. apply andb_prop in H as [H1 H2]. apply IH in H2. unfold same_term in H1.
    apply andb_prop in H1 as [H1 H3]. apply Z.eqb_eq in H1.
    destruct (list_eq_dec _ _ _); [|discriminate H3]. destruct s, t. cbn in *. congruence.
  Qed.

  Lemma primitive_right x f u g : primitive f = (u, g) -> value x f = u * value x g.
  Proof.
    unfold primitive. destruct (same _ f) eqn:E.
    - intros [= <- <-]. apply same_right in E. rewrite <- E at 1. apply value_scale.
    - intros [= <- <-]. lia.
  Qed.

  (** What is asked of the variables of products. *)
  Definition products_right (x : valuation) : Prop :=
    forall f g y, find_product (first a) (products a) f g = Some y ->
    (p | unit a * x y - value x f * value x g).

  Definition forms_right (x : valuation) (values : nat -> Z) (forms : list polynomial) : Prop :=
    forall k f, nth_error forms k = Some f -> (p | values k - value x f).

  Lemma product_right x f g h : products_right x -> product_form f g = Some h ->
    (p | value x f * value x g - value x h).
  Proof.
    unfold product_form. intros PR H. destruct (primitive f) as [u f'] eqn:F.
    destruct (primitive g) as [v g'] eqn:G.
    rewrite (primitive_right x _ _ _ F), (primitive_right x _ _ _ G).
    destruct (find_product _ _ _ _) as [y|] eqn:E.
    - injection H as <-. eapply divide_sum; [|apply reduced_right].
      destruct (PR _ _ _ E) as [t T]. cbn [value product]. exists (- (u * v * t)).
      replace (u * v * unit a * (x y * 1) + 0) with (u * v * (unit a * x y)) by ring.
      replace (unit a * x y) with (t * p + value x f' * value x g') by lia. ring.
    - destruct (_ <=? _); [|discriminate H]. injection H as <-.
      eapply divide_sum; [|apply reduced_right].
      rewrite value_times, (primitive_right x _ _ _ F), (primitive_right x _ _ _ G).
      rewrite Z.sub_diag. apply Z.divide_0_r.
  Qed.

  Lemma form_right x values forms : products_right x -> forms_right x values forms ->
    forall e f, form_of forms e = Some f -> (p | denote values e - value x f).
  Proof.
    intros PR R. induction e as [k|z|d IHd e IHe|d IHd e IHe|d IHd e IHe]; cbn [form_of denote];
      intros f F.
    - now apply R.
    - injection F as <-. eapply divide_sum; [|apply reduced_right].
      exists 0. cbn [constant value product]. ring.
    - unbind F. unbind F. injection F as <-. eapply divide_sum; [|apply reduced_right].
      rewrite value_app. specialize (IHd _ eq_refl) as [s S]. specialize (IHe _ eq_refl) as [t T].
      exists (s + t). nia.
    - unbind F. unbind F. injection F as <-. eapply divide_sum; [|apply reduced_right].
      rewrite value_minus. specialize (IHd _ eq_refl) as [s S]. specialize (IHe _ eq_refl) as [t T].
      exists (s - t). nia.
    - destruct (form_of forms d) as [g|]; [|discriminate F]. cbn [bind] in F.
      destruct (form_of forms e) as [h|]; [|discriminate F]. cbn [bind] in F.
      eapply divide_sum; [|eapply product_right; eauto].
      specialize (IHd _ eq_refl) as [s S]. specialize (IHe _ eq_refl) as [t T].
      exists (s * denote values e + t * value x g). nia.
  Qed.

  (** Numbers that are what their expressions say, modulo p, have these forms. *)
  Lemma forms_until_right x values l : forall forms forms',
    forms_until forms l = Some forms' -> products_right x -> forms_right x values forms ->
    (forall k e, nth_error l k = Some e ->
      (p | values (length forms + k)%nat - denote values e)) ->
    forms_right x values forms'.
  Proof.
    induction l as [|e l IH]; cbn [forms_until]; intros forms forms' F PR R E.
    - now injection F as <-.
    - destruct (form_of forms e) as [g|] eqn:FO; [|discriminate F]. cbn [bind] in F.
      apply (IH _ _ F); [exact PR | |].
      + intros k f N. destruct (Nat.lt_ge_cases k (length forms)) as [L|L].
        * rewrite nth_error_app1 in N by exact L. now apply R.
        * rewrite nth_error_app2 in N by exact L.
          destruct (k - length forms)%nat as [|[|j]] eqn:J; try discriminate N.
          injection N as <-. eapply divide_sum; [|eapply form_right; eassumption].
          specialize (E 0%nat e eq_refl). now replace k with (length forms + 0)%nat by lia.
      + intros k d N. rewrite app_length. cbn [length].
        replace (length forms + 1 + k)%nat with (length forms + Datatypes.S k)%nat by lia.
        now apply E.
  Qed.

  (** The forms themselves, as numbers, are what the expressions say. *)
  Definition form_value (x : valuation) (forms : list polynomial) (k : nat) : Z :=
    value x (nth k forms []).

  Lemma forms_until_prefix l : forall forms forms', forms_until forms l = Some forms' ->
    exists more, forms' = forms ++ more /\ length more = length l.
  Proof.
    induction l as [|e l IH]; cbn [forms_until]; intros forms forms' F.
    - injection F as <-. exists []. now rewrite app_nil_r.
    - destruct (form_of forms e) as [g|]; [|discriminate F]. cbn [bind] in F.
      destruct (IH _ _ F) as (more & -> & L). exists (g :: more).
      rewrite <- app_assoc. cbn [app length]. auto.
  Qed.

  Lemma forms_are x forms : forms_right x (form_value x forms) forms.
  Proof.
    intros k f N. unfold form_value. rewrite (nth_error_nth _ _ _ N). exists 0. ring.
  Qed.

  Lemma form_of_more forms more e f : form_of forms e = Some f ->
    form_of (forms ++ more) e = Some f.
  Proof.
    revert f. induction e as [k|z|d IHd e IHe|d IHd e IHe|d IHd e IHe]; cbn [form_of]; intros f F;
      [rewrite nth_error_app1; [exact F | apply nth_error_Some; congruence] | exact F | ..];
      (destruct (form_of forms d) as [g|]; [|discriminate F]); cbn [bind] in F;
      (destruct (form_of forms e) as [h|]; [|discriminate F]);
      now rewrite (IHd _ eq_refl), (IHe _ eq_refl).
  Qed.

  Lemma form_values x l : products_right x ->
    forall forms forms', forms_until forms l = Some forms' ->
    forall k e, nth_error l k = Some e ->
    (p | form_value x forms' (length forms + k)%nat - denote (form_value x forms') e).
  Proof.
    intros PR. induction l as [|e l IH]; cbn [forms_until]; intros forms forms' F k d N.
    - destruct k; discriminate.
    - destruct (form_of forms e) as [f|] eqn:E; [|discriminate F]. cbn [bind] in F.
      destruct k as [|k]; cbn [nth_error] in N.
      + injection N as ->. destruct (forms_until_prefix _ _ _ F) as (more & Q & _).
        assert (form_of forms' d = Some f) as G
          by (rewrite Q, <- app_assoc; now apply form_of_more).
        pose proof (form_right x (form_value x forms') forms' PR (forms_are x forms') d f G) as D.
        replace (form_value x forms' (length forms + 0)) with (value x f).
        * destruct D as [u U]. exists (- u). lia.
        * unfold form_value. rewrite Q, <- app_assoc, app_nth2, Nat.add_0_r, Nat.sub_diag by lia.
          reflexivity.
      + specialize (IH _ _ F k d N). rewrite app_length in IH. cbn [length] in IH.
        now replace (length forms + Datatypes.S k)%nat with (length forms + 1 + k)%nat by lia.
  Qed.

  Lemma same_modulo_right x f g : same_modulo f g = true -> (p | value x f - value x g).
  Proof.
    unfold same_modulo. destruct (reduced _) eqn:E; [|discriminate]. intros _.
    pose proof (reduced_right x (minus f g)) as D. rewrite E, value_minus in D.
    cbn [value] in D. now rewrite Z.sub_0_r in D.
  Qed.
End Modulo.
