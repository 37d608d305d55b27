(** Each symbolic step stands for the processor's: what the symbolic machine says of registers,
    flags and memory stays true. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Bytes Memory Options Polynomial System Arithmetic Expression
  Verdict Entry Areas.
From Fieldc.aarch64 Require Import Machine Kernel Carries Words Facts Choices Rows Calculations
  Symbolic.
Import ListNotations.
Open Scope Z_scope.

Section Kernel.
  Variable c : contract.
  Variable code : list Z.
  Variable start : state.
  Hypothesis R : ready c code start.

  Notation where_ := (place c start).
  Notation denotes := (denotes c start).
  Notation cell_right := (cell_right c code start).

  Definition flag_means (w : words) (v : valuation) (f : option polynomial) (b : bool) : Prop :=
    match f with None => True | Some p => worth w v p (Z.b2z b) end.

  Record simulates (v : valuation) (m : machine) (s : state) : Prop := {
    words_right : right (wds m) v;
    file_right : forall r, denotes (sys m) v (file m r) (registers s r);
    file_words : forall r, is_word (registers s r);
    cells_right : forall cell, In cell (cells m) -> cell_right (sys m) v (memory s) cell;
    frame : forall a, ~ writable c code start a -> memory s a = memory start a;
    bytes : forall a, 0 <= memory s a < 256;
    zf_right : flag_means (wds m) v (zf m) (zero (flags s));
    cf_right : flag_means (wds m) v (cf m) (carry (flags s));
    here_right : here s = where_ Code + pc m;
    trace_right : trace s = map (access_at c start) (seen m) ++ trace start;
    seen_right : forall a o n, In (a, o, n) (seen m) -> inside c code a o n
  }.

  Lemma flag_grows w v w' v' f b : grows w v w' v' -> flag_means w v f b -> flag_means w' v' f b.
  Proof. intros G. destruct f as [p|]; [apply (grows_worth _ _ _ _ _ _ G) | auto]. Qed.

  Lemma simulates_words v m s w v' : simulates v m s -> grows (wds m) v w v' ->
    simulates v' (with_words w m) s.
  Proof.
    intros S G. pose proof (fun f b => flag_grows _ _ _ _ f b G) as FG. destruct G as [E RW].
    destruct S. constructor; cbn [with_words wds file cells zf cf pc seen]; auto.
    - intros r. eapply denotes_extends; [exact E | apply file_right0].
    - intros [[a o] k] I. destruct (cells_right0 _ I) as (H1 & H2 & H3).
      repeat split; try apply H1; auto. eapply denotes_extends; [exact E | exact H3].
  Qed.

  Lemma simulates_register v m s r k A : simulates v m s -> denotes (sys m) v k A -> is_word A ->
    simulates v (with_register r k m) (set_register r A s).
  Proof.
    intros S D W. destruct S.
    constructor; cbn [with_register set_register wds file cells zf cf pc seen registers memory
      flags here trace]; auto; intros q; destruct (register_beq q r); auto.
  Qed.

  Lemma simulates_flags v m s z k f : simulates v m s -> flag_means (wds m) v z (zero f) ->
    flag_means (wds m) v k (carry f) -> simulates v (with_flags z k m) (set_flags f s).
  Proof. intros S F G. destruct S. constructor; auto. Qed.

  Lemma simulates_access v m s a o n : simulates v m s -> inside c code a o n ->
    simulates v (with_access a o n m) (note (where_ a + o) n s).
  Proof.
    intros S I. destruct S. constructor; auto.
    - cbn [with_access note trace seen map app]. rewrite trace_right0. reflexivity.
    - intros b p q [[= <- <- <-]|H]; auto.
  Qed.

  Lemma simulates_cells v m s l : simulates v m s -> (forall x, In x l -> In x (cells m)) ->
    simulates v (with_cells l m) s.
  Proof. intros S I. destruct S. constructor; auto. Qed.

  (** ** Registers *)

  Definition stands_for (m m' : machine) (v : valuation) (s : option state) : Prop :=
    exists s' v', s = Some s' /\ simulates v' m' s' /\ extends (sys m) v (sys m') v'.

  Lemma stands_same m m' v s s' : sys m' = sys m -> simulates v m' s' -> s = Some s' ->
    stands_for m m' v s.
  Proof. intros Q S ->. exists s', v. rewrite Q. auto using extends_refl. Qed.

  Lemma stands_after m m1 m' v v1 s : extends (sys m) v (sys m1) v1 -> stands_for m1 m' v1 s ->
    stands_for m m' v s.
  Proof.
    intros X (s' & v' & E & S & X'). exists s', v'. split; [exact E|]. split; [exact S|].
    exact (extends_trans _ _ _ _ _ _ X X').
  Qed.

  Lemma get_word v m s r : simulates v m s -> is_word (get s r).
  Proof.
    intros S. destruct r as [r|]; [apply (file_words _ _ _ S) | now split].
  Qed.

  Lemma content_right v m s r : simulates v m s ->
    denotes (sys m) v (content_of m r) (get s r).
  Proof.
    intros S. destruct r as [r|]; [apply (file_right _ _ _ S) | apply means_const].
  Qed.

  Lemma as_polynomial_right w v k p A : as_polynomial k = Some p -> denotes (known w) v k A ->
    worth w v p A.
  Proof.
    unfold as_polynomial. intros P D. destruct k as [u|? ?|?|?]; try discriminate P.
    cbn [as_word bind] in P. injection P as <-. now apply worth_of_word.
  Qed.

  Lemma word_of_right v m s r p : word_of m r = Some p -> simulates v m s ->
    worth (wds m) v p (get s r).
  Proof. intros P S. eapply as_polynomial_right; [exact P | now apply content_right]. Qed.

  Lemma put_right v m s d k A m' : put d k m = Some m' -> simulates v m s ->
    denotes (sys m) v k A -> is_word A -> wds m' = wds m /\ simulates v m' (set d A s).
  Proof.
    unfold put. intros L S D W. destruct d as [r|]; [|injection L as <-; auto].
    destruct (guard _) as [[]|]; [|discriminate]. cbn [bind] in L. injection L as <-.
    split; [reflexivity|]. now apply simulates_register.
  Qed.

  Lemma known_word w v p A : worth w v p A -> denotes (known w) v (Known (as_word_of p)) A.
  Proof. exact (worth_as_word w v p A). Qed.

  (** A word put into a register, in a system that the step has made. *)
  Lemma finish_only m m1 m' v v' s s1 d p w A :
    put_word d p w m1 = Some m' -> simulates v m1 s1 -> extends (sys m) v (sys m1) v ->
    grows (wds m1) v w v' -> worth w v' p A -> is_word A -> s = Some (set d A s1) ->
    stands_for m m' v s.
  Proof.
    intros P S X G W IA ->.
    destruct (put_right v' _ _ _ _ A _ P (simulates_words _ _ _ _ _ S G) (known_word _ _ _ _ W) IA)
      as [Q S'].
    exists (set d A s1), v'. split; [reflexivity|]. split; [exact S'|].
    unfold sys at 2. rewrite Q. cbn [with_words wds].
    exact (extends_trans _ _ _ _ _ _ X (proj1 G)).
  Qed.

  (** The same with flags. *)
  Lemma finish m m' v v' s s1 d p w A z k f :
    put_word d p w (with_flags z k m) = Some m' -> simulates v m s1 ->
    grows (wds m) v w v' -> worth w v' p A -> is_word A ->
    flag_means w v' z (zero f) -> flag_means w v' k (carry f) ->
    s = Some (set d A (set_flags f s1)) -> stands_for m m' v s.
  Proof.
    intros P S G W IA Z K ->. unfold put_word in P.
    assert (simulates v' (with_words w (with_flags z k m)) (set_flags f s1)) as S1
      by exact (simulates_flags v' (with_words w m) s1 z k f (simulates_words _ _ _ _ _ S G) Z K).
    destruct (put_right v' _ _ _ _ A _ P S1 (known_word _ _ _ _ W) IA) as [Q S'].
    exists (set d A (set_flags f s1)), v'. split; [reflexivity|]. split; [exact S'|].
    unfold sys at 2. rewrite Q. apply G.
  Qed.

  (** ** Operands *)

  Definition leads (m : machine) (v : valuation) (m1 : machine) (v1 : valuation) (s : state) :=
    extends (sys m) v (sys m1) v1 /\ simulates v1 m1 s.

  Lemma leads_same m v s : simulates v m s -> leads m v m v s.
  Proof. intros S. split; [apply extends_refl | exact S]. Qed.

  Lemma leads_words m v s w v' : simulates v m s -> grows (wds m) v w v' ->
    leads m v (with_words w m) v' s.
  Proof.
    intros S G. split; [apply G | exact (simulates_words _ _ _ _ _ S G)].
  Qed.

  Lemma half_word A n : is_word A -> n = 64 \/ n = 32 -> is_word (A mod 2 ^ n).
  Proof.
    unfold is_word. intros W [-> | ->].
    - apply Z.mod_pos_bound. reflexivity.
    - pose proof (Z.mod_pos_bound A (2 ^ 32) eq_refl).
      assert (2 ^ 32 < radix) by reflexivity. lia.
  Qed.

  Lemma sized_right n r m k m1 v s : sized n r m = Some (k, m1) -> simulates v m s ->
    (n = 64 \/ n = 32) /\
    exists v1, leads m v m1 v1 s /\ denotes (sys m1) v1 k (get s r mod 2 ^ n).
  Proof.
    unfold sized. intros D S. pose proof (get_word _ _ _ r S) as W.
    destruct (Z.eqb_spec n 64) as [->|_].
    - injection D as <- <-. split; [auto|]. exists v. split; [now apply leads_same|].
      rewrite Z.mod_small by exact W. now apply content_right.
    - destruct (Z.eqb_spec n 32) as [->|_]; [|discriminate D]. cbn [guard bind] in D.
      unbind D. unbind D. destruct p0 as [q w]. injection D as <- <-. split; [auto|].
      destruct (low_bits_right _ _ _ _ _ _ _ E0 (words_right _ _ _ S)
        (word_of_right _ _ _ _ _ E S) W) as (_ & v1 & G & H).
      exists v1. split; [now apply leads_words | now apply known_word].
  Qed.

  Lemma read_right n b m k m1 v s : read n b m = Some (k, m1) -> simulates v m s ->
    (n = 64 \/ n = 32) /\ is_word (operand n s b) /\
    exists v1, leads m v m1 v1 s /\ denotes (sys m1) v1 k (operand n s b).
  Proof.
    unfold read. intros D S. destruct (_ || _) eqn:N in D; [|discriminate D].
    cbn [guard bind] in D.
    assert (n = 64 \/ n = 32) as NN
      by (apply orb_prop in N as [N|N]; apply Z.eqb_eq in N; auto).
    split; [exact NN|]. clear N. destruct b as [z|r sh count|r]; cbn [operand].
    - injection D as <- <-. split.
      + pose proof (Z.mod_pos_bound z (2 ^ n)). unfold is_word, radix in *.
        destruct NN as [-> | ->]; lia.
      + exists v. split; [now apply leads_same | apply means_const].
    - pose proof (get_word _ _ _ r S) as W. destruct sh; try discriminate D.
      + destruct (Z.eqb_spec count 0) as [->|_].
        * destruct (sized_right _ _ _ _ _ _ _ D S) as (_ & v1 & L & V).
          cbn [shifted]. rewrite Z.pow_0_r, Z.mul_1_r, Z.mod_mod
            by (destruct NN as [-> | ->]; discriminate).
          split; [now apply half_word | eauto].
        * destruct (Z.eqb_spec n 64) as [->|_]; [|discriminate D]. cbn [guard bind] in D.
          unbind D. unbind D. destruct p0 as [q w]. injection D as <- <-. cbn [shifted].
          rewrite (Z.mod_small (get s r)) by exact W. split; [apply mod_word|].
          destruct (left_by_right _ _ _ _ _ _ _ E0 (words_right _ _ _ S)
            (word_of_right _ _ _ _ _ E S) W) as (_ & v1 & G & H).
          exists v1. split; [now apply leads_words | now apply known_word].
      + destruct (Z.eqb_spec n 64) as [->|_]; [|discriminate D]. cbn [guard bind] in D.
        unbind D. unbind D. destruct p0 as [q w]. injection D as <- <-. cbn [shifted].
        rewrite (Z.mod_small (get s r)) by exact W.
        destruct (right_by_right _ _ _ _ _ _ _ E0 (words_right _ _ _ S)
          (word_of_right _ _ _ _ _ E S) W) as (K & v1 & G & H). split.
        * assert (0 < 2 ^ count) by (apply Z.pow_pos_nonneg; lia). unfold is_word in *.
          split; [apply Z.div_pos; lia|]. apply Z.div_lt_upper_bound; nia.
        * exists v1. split; [now apply leads_words | now apply known_word].
    - destruct (Z.eqb_spec n 64) as [->|_]; [|discriminate D]. cbn [guard bind] in D.
      destruct (sized_right _ _ _ _ _ _ _ D S) as (_ & v1 & L & V).
      split; [apply half_word; [eapply get_word; exact S | auto] | eauto].
  Qed.

  Lemma read_word_right n b m p m1 v s : read_word n b m = Some (p, m1) -> simulates v m s ->
    is_word (operand n s b) /\
    exists v1, leads m v m1 v1 s /\ worth (wds m1) v1 p (operand n s b).
  Proof.
    unfold read_word. intros D S. unbind D. destruct p0 as [k m2]. unbind D. injection D as <- <-.
    destruct (read_right _ _ _ _ _ _ _ E S) as (_ & W & v1 & L & V). split; [exact W|].
    exists v1. split; [exact L|]. eapply as_polynomial_right; eauto.
  Qed.

  Lemma sized_word_right n r m p m1 v s : sized_word n r m = Some (p, m1) -> simulates v m s ->
    (n = 64 \/ n = 32) /\
    exists v1, leads m v m1 v1 s /\ worth (wds m1) v1 p (get s r mod 2 ^ n).
  Proof.
    unfold sized_word. intros D S. unbind D. destruct p0 as [k m2]. unbind D.
    injection D as <- <-. destruct (sized_right _ _ _ _ _ _ _ E S) as (N & v1 & L & V).
    split; [exact N|]. exists v1. split; [exact L|]. eapply as_polynomial_right; eauto.
  Qed.
End Kernel.
