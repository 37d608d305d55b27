(** Each symbolic step stands for the processor's: what the symbolic machine says of registers,
    flags and memory stays true. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Polynomial System Arithmetic Bits Machine Contract Memory Symbolic.
Import ListNotations.
Open Scope Z_scope.

Section Kernel.
  Variable c : contract.
  Variable code : list Z.
  Variable start : state.
  Hypothesis R : ready c code start.

  Let where_ := place c start.

  Definition denotes (s : system) (v : valuation) (k : content) (A : Z) : Prop :=
    match k with
    | Known w => means s v w A
    | Pointer a o => A = (where_ a + o) mod radix
    end.

  Definition flag_means (s : system) (v : valuation) (f : option word) (b : option bool) : Prop :=
    match f with
    | None => True
    | Some w => exists x, b = Some x /\ means s v w (Z.b2z x)
    end.

  Definition cell_right (s : system) (v : valuation) (m : Z -> Z) (cell : area * Z * content) :=
    let '(a, o, k) := cell in
    inside c code a o 8 /\ o mod 8 = 0 /\ denotes s v k (load m (where_ a + o)).

  Record simulates (v : valuation) (m : machine) (s : state) : Prop := {
    good_sys : good (sys m) v;
    file_right : forall r, denotes (sys m) v (file m r) (registers s r);
    file_words : forall r, is_word (registers s r);
    cells_right : forall cell, In cell (cells m) -> cell_right (sys m) v (memory s) cell;
    frame : forall a, ~ writable c code start a -> memory s a = memory start a;
    bytes : forall a, 0 <= memory s a < 256;
    cf_right : flag_means (sys m) v (cf m) (carry s);
    of_right : flag_means (sys m) v (of m) (overflow s);
    rip_right : rip s = where_ Code + pc m;
    trace_right : trace s = map (access_at c start) (seen m) ++ trace start;
    seen_right : forall a o n, In (a, o, n) (seen m) -> inside c code a o n
  }.

  Lemma denotes_extends s v s' v' k A : extends s v s' v' -> denotes s v k A -> denotes s' v' k A.
  Proof. destruct k as [w|a o]; cbn; [apply means_extends | auto]. Qed.

  Lemma flag_extends s v s' v' f b :
    extends s v s' v' -> flag_means s v f b -> flag_means s' v' f b.
  Proof.
    destruct f as [w|]; cbn; [|auto]. intros E (x & X & M). exists x. eauto using means_extends.
  Qed.

  Lemma simulates_sys v m s s' v' : simulates v m s -> extends (sys m) v s' v' -> good s' v' ->
    simulates v' (with_sys s' m) s.
  Proof.
    intros S E G. destruct S. constructor; cbn [with_sys sys file cells cf of pc seen]; auto.
    - intros r. eapply denotes_extends; eauto.
    - intros [[a o] k] I. destruct (cells_right0 _ I) as (H1 & H2 & H3).
      repeat split; try apply H1; auto. eapply denotes_extends; eauto.
    - eapply flag_extends; eauto.
    - eapply flag_extends; eauto.
  Qed.

  Lemma simulates_register v m s r k A : simulates v m s -> denotes (sys m) v k A -> is_word A ->
    simulates v (with_register r k m) (set r A s).
  Proof.
    intros S D W. destruct S.
    constructor; cbn [with_register set sys file cells cf of pc seen registers memory carry overflow
      rip trace]; auto; intros q; destruct (register_beq q r); auto.
  Qed.

  Lemma simulates_flags v m s f g b d : simulates v m s ->
    flag_means (sys m) v f b -> flag_means (sys m) v g d ->
    simulates v (with_flags f g m) (flags b d s).
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

  (** ** Addresses *)

  Lemma is_area_eq a b : is_area a b = true -> a = b.
  Proof. unfold is_area. destruct (area_eq_dec a b); auto; discriminate. Qed.

  Lemma is_inside_right a o n : is_inside c code a o n = true -> inside c code a o n.
  Proof.
    unfold is_inside, inside. intros H. apply andb_prop in H as [H1 H2].
    split; apply Z.leb_le; assumption.
  Qed.

  Lemma inside_no_wrap a o n : inside c code a o n -> 0 < n ->
    (where_ a + o) mod radix = where_ a + o.
  Proof.
    intros [I1 I2] N. destruct (fits _ _ _ R a) as [F1 F2]; [lia|]. unfold where_ in *.
    apply Z.mod_small. lia.
  Qed.

  Lemma address_right v m s a b o : simulates v m s -> address_of m a = Some (b, o) ->
    effective s a = (where_ b + o) mod radix.
  Proof.
    intros S A. destruct a as [r d|d]; cbn [address_of effective] in *.
    - pose proof (file_right _ _ _ S r) as F. destruct (file m r) as [w|b' o']; [discriminate|].
      injection A as <- <-. cbn [denotes] in F. rewrite F.
      rewrite Z.add_mod_idemp_l by (unfold radix; lia). f_equal. lia.
    - injection A as <- <-. rewrite (rip_right _ _ _ S). f_equal. lia.
  Qed.

  Lemma within_inside a o n i : inside c code a o n -> 0 <= i < n ->
    within_area c code start a (where_ a + o + i).
  Proof. unfold within_area, inside, where_. intros [I1 I2] B. lia. Qed.

  Lemma apart_bytes a b o p : apart c code start a b ->
    inside c code a o 8 -> inside c code b p 8 ->
    where_ a + o + 8 <= where_ b + p \/ where_ b + p + 8 <= where_ a + o.
  Proof.
    intros A I J.
    destruct (Z_le_dec (where_ a + o + 8) (where_ b + p)); [auto|].
    destruct (Z_le_dec (where_ b + p + 8) (where_ a + o)); [auto|]. exfalso.
    destruct (Z_le_dec (where_ a + o) (where_ b + p)).
    - apply (A (where_ b + p + 0)); [|apply within_inside with (n := 8); lia || assumption].
      replace (where_ b + p + 0) with (where_ a + o + (where_ b + p - where_ a - o)) by lia.
      apply within_inside with (n := 8); lia || assumption.
    - apply (A (where_ a + o + 0)); [apply within_inside with (n := 8); lia || assumption|].
      replace (where_ a + o + 0) with (where_ b + p + (where_ a + o - where_ b - p)) by lia.
      apply within_inside with (n := 8); lia || assumption.
  Qed.

  (** ** Reads *)

  Lemma code_kept v m s i : simulates v m s -> 0 <= i < Z.of_nat (length code) ->
    memory s (where_ Code + i) = memory start (where_ Code + i).
  Proof.
    intros S I. apply (frame _ _ _ S).
    assert (within_area c code start Code (where_ Code + i)) as W.
    { unfold within_area, inside, where_. cbn [room fst snd]. lia. }
    intros [H|[H _]].
    - exact (result_apart _ _ _ R _ H W).
    - exact (stack_apart _ _ _ R Code ltac:(discriminate) _ W H).
  Qed.

  Lemma constant_right v m s o : simulates v m s -> inside c code Code o 8 ->
    load (memory s) (where_ Code + o) = constant_at code o.
  Proof.
    intros S [I1 I2]. cbn [room fst snd] in I1, I2. unfold load, constant_at. f_equal.
    replace (where_ Code + o) with (where_ Code + Z.of_nat (Z.to_nat o)) by lia.
    apply bytes_at_list; [lia|]. intros i B.
    rewrite (code_kept v m s) by (assumption || lia).
    apply (code_is _ _ _ R), B.
  Qed.

  Lemma find_in a o l k : find a o l = Some k -> In (a, o, k) l.
  Proof.
    induction l as [|[[b p] q] l IH]; cbn [find]; [discriminate|].
    destruct (is_area a b && (o =? p)) eqn:E.
    - apply andb_prop in E as [E1 E2]. apply is_area_eq in E1. apply Z.eqb_eq in E2.
      intros [= ->]. left. now subst.
    - intros H. right. auto.
  Qed.

  Lemma load_from_right v m s a o k m' : load_from c code a o m = Some (k, m') ->
    simulates v m s ->
    m' = with_access a o 8 m /\ inside c code a o 8 /\
    denotes (sys m) v k (load (memory s) (where_ a + o)).
  Proof.
    unfold load_from. intros L S.
    destruct (is_inside c code a o 8) eqn:I; [|discriminate]. apply is_inside_right in I.
    cbn [guard bind] in L. destruct (is_area a Code) eqn:E; cbn [bind] in L.
    - apply is_area_eq in E as ->. injection L as <- <-. split; [reflexivity|]. split; [exact I|].
      cbn [denotes]. rewrite (constant_right v m s o S I). apply means_const.
    - destruct (find a o (cells m)) as [q|] eqn:F; [|discriminate]. injection L as <- <-.
      split; [reflexivity|]. split; [exact I|]. apply find_in in F.
      apply (cells_right _ _ _ S _ F).
  Qed.

  Lemma operand_word v m s o : simulates v m s -> is_word (operand s o).
  Proof.
    intros S. destruct o as [r|a|z]; cbn [operand].
    - apply (file_words _ _ _ S).
    - apply load_is_word, (bytes _ _ _ S).
    - apply Z.mod_pos_bound. reflexivity.
  Qed.

  Lemma read_right v m s o k m' : read c code o m = Some (k, m') -> simulates v m s ->
    simulates v m' (access o s) /\ denotes (sys m) v k (operand s o) /\
    sys m' = sys m /\ cf m' = cf m /\ of m' = of m.
  Proof.
    intros L S. destruct o as [r|a|z]; cbn [read operand access] in *.
    - injection L as <- <-. split; [exact S|]. split; [apply (file_right _ _ _ S) | auto].
    - destruct (address_of m a) as [[b o]|] eqn:A; [|discriminate]. cbn [bind] in L.
      rewrite (address_right v m s a b o S A).
      destruct (load_from_right _ _ _ _ _ _ _ L S) as (-> & I & D).
      rewrite (inside_no_wrap b o 8 I) by lia. split; [now apply simulates_access|]. auto.
    - injection L as <- <-. split; [exact S|]. split; [apply means_const | auto].
  Qed.

  (** ** Writes *)

  Lemma may_write_right a o : may_write c code a o = true ->
    inside c code a o 8 /\ o mod 8 = 0 /\ (a = Result \/ a = Stack) /\
    forall i, 0 <= i < 8 -> writable c code start (where_ a + o + i).
  Proof.
    unfold may_write. intros H. apply andb_prop in H as [H K]. apply andb_prop in H as [H1 H2].
    apply is_inside_right in H1. apply Z.eqb_eq in H2.
    apply orb_prop in K as [K|K].
    - apply is_area_eq in K as ->. repeat split; try apply H1; auto.
      intros i I. left. now apply within_inside with (n := 8).
    - apply andb_prop in K as [K1 K2]. apply is_area_eq in K1 as ->.
      repeat split; try apply H1; auto.
      intros i I. right. split; [now apply within_inside with (n := 8)|].
      unfold where_. apply orb_prop in K2 as [K2|K2]; apply Z.leb_le in K2; lia.
  Qed.

  Lemma survives_right a o b p k : survives a o (b, p, k) = true -> a = Result \/ a = Stack ->
    inside c code a o 8 -> inside c code b p 8 -> o mod 8 = 0 -> p mod 8 = 0 ->
    where_ b + p + 8 <= where_ a + o \/ where_ a + o + 8 <= where_ b + p.
  Proof.
    unfold survives. intros H A I J O P. apply andb_prop in H as [H1 H2].
    apply negb_true_iff in H2.
    assert (a = b -> where_ b + p + 8 <= where_ a + o \/ where_ a + o + 8 <= where_ b + p) as Same.
    { intros <-. assert (is_area a a = true) as E
        by (unfold is_area; destruct (area_eq_dec a a); congruence).
      rewrite E in H2. cbn [andb] in H2. apply Z.eqb_neq in H2.
      apply Z.mod_divide in O as [x ->]; [|lia]. apply Z.mod_divide in P as [y ->]; [|lia]. lia. }
    destruct (area_eq_dec a b) as [E|N]; [auto|].
    destruct A as [-> | ->].
    - apply orb_prop in H1 as [H1|H1]; [apply orb_prop in H1 as [H1|H1]|];
        apply is_area_eq in H1; try congruence. subst b.
      destruct (apart_bytes Result Stack o p); auto.
      apply (stack_apart _ _ _ R). discriminate.
    - destruct (apart_bytes b Stack p o); auto.
      apply (stack_apart _ _ _ R). congruence.
  Qed.

  Lemma store_right v m s a o k A m' : store_to c code a o k m = Some m' -> simulates v m s ->
    denotes (sys m) v k A -> is_word A ->
    (where_ a + o) mod radix = where_ a + o /\ sys m' = sys m /\ file m' = file m /\
    simulates v m' (write (where_ a + o) A s).
  Proof.
    unfold store_to. intros L S D W.
    destruct (may_write c code a o) eqn:E; [|discriminate]. cbn [guard bind] in L.
    injection L as <-. apply may_write_right in E as (I & O & B & Own).
    split; [apply inside_no_wrap with (n := 8); lia || assumption|]. do 2 (split; [reflexivity|]).
    unfold write. apply (simulates_access v (with_cells _ m)
      (State (registers s) (carry s) (overflow s) (store (memory s) (where_ a + o) A) (rip s)
        (trace s)) a o 8); [|exact I].
    destruct S. constructor; cbn [with_cells sys file cells cf of pc seen registers memory carry
      overflow rip trace]; auto.
    - intros cell [<-|H].
      + split; [exact I|]. split; [exact O|]. rewrite load_store by exact W. exact D.
      + apply filter_In in H as [H1 H2]. destruct cell as [[b p] q].
        destruct (cells_right0 _ H1) as (J & P & Q). split; [exact J|]. split; [exact P|].
        rewrite load_store_other; [exact Q|]. eapply survives_right; eauto.
    - intros x X. rewrite <- frame0 by exact X. apply store_other.
      destruct (Z_lt_dec x (where_ a + o)); [auto|].
      destruct (Z_le_dec (where_ a + o + 8) x); [auto|]. exfalso. apply X.
      replace x with (where_ a + o + (x - where_ a - o)) by lia. apply Own. lia.
    - intros x. now apply store_byte.
  Qed.

  (** ** The stack pointer *)

  Lemma stack_offset_right v m s o : simulates v m s -> stack_offset m = Some o ->
    registers s RSP = (where_ Stack + o) mod radix.
  Proof.
    intros S H. pose proof (file_right _ _ _ S RSP) as F. unfold stack_offset in H.
    destruct (file m RSP) as [w|[| | |[]] p]; try discriminate. injection H as <-. exact F.
  Qed.

  Lemma mod_word x : is_word (x mod radix).
  Proof. apply Z.mod_pos_bound. reflexivity. Qed.

  Lemma move_stack_right v m s o m' : move_stack c o m = Some m' -> simulates v m s ->
    sys m' = sys m /\ simulates v m' (set RSP ((where_ Stack + o) mod radix) s).
  Proof.
    unfold move_stack. intros L S. destruct (guard _) as [[]|]; [|discriminate].
    cbn [bind] in L. injection L as <-. split; [reflexivity|].
    apply simulates_register.
    - apply simulates_cells; [exact S|]. intros x X. now apply filter_In in X.
    - reflexivity.
    - apply mod_word.
  Qed.

  (** ** Results of instructions *)

  Lemma put_right v m s r k A m' : put r k m = Some m' -> simulates v m s ->
    denotes (sys m) v k A -> is_word A ->
    sys m' = sys m /\ simulates v m' (set r A s).
  Proof.
    unfold put. intros L S D W. destruct (guard _) as [[]|]; [|discriminate].
    cbn [bind] in L. injection L as <-. split; [reflexivity|]. now apply simulates_register.
  Qed.

  (** A word that a new system gives, with the flags that it gives. *)
  Lemma put_word_right v m s v' s' r w A m' f g b d :
    put_word r w s' (with_flags f g m) = Some m' -> simulates v m s ->
    extends (sys m) v s' v' -> good s' v' -> means s' v' w A -> is_word A ->
    flag_means s' v' f b -> flag_means s' v' g d ->
    exists v2, simulates v2 m' (set r A (flags b d s)) /\ extends (sys m) v (sys m') v2.
  Proof.
    intros P S E G M W F1 F2. unfold put_word in P. exists v'.
    pose proof (simulates_flags v' (with_sys s' m) s f g b d
      (simulates_sys _ _ _ _ _ S E G) F1 F2) as S'.
    destruct (put_right v' _ _ _ (Known w) A _ P S' M W) as [Q T].
    split; [exact T|]. rewrite Q. exact E.
  Qed.

  Lemma with_own_flags m : with_flags (cf m) (of m) m = m.
  Proof. destruct m; reflexivity. Qed.

  Lemma own_flags s : flags (carry s) (overflow s) s = s.
  Proof. destruct s; reflexivity. Qed.

  (** The same where the flags stay. *)
  Lemma put_only_right v m s v' s' r w A m' :
    put_word r w s' m = Some m' -> simulates v m s ->
    extends (sys m) v s' v' -> good s' v' -> means s' v' w A -> is_word A ->
    exists v2, simulates v2 m' (set r A s) /\ extends (sys m) v (sys m') v2.
  Proof.
    intros P S E G M W. rewrite <- (with_own_flags m) in P. rewrite <- (own_flags s).
    eapply put_word_right; eauto.
    - eapply flag_extends; [exact E|]. apply (cf_right _ _ _ S).
    - eapply flag_extends; [exact E|]. apply (of_right _ _ _ S).
  Qed.
End Kernel.
