(** What registers and memory hold, by the areas of a contract, and what a write leaves of it. *)

From Coq Require Import ZArith List Lia Bool.
From Fieldc Require Import Word Bytes Memory Polynomial System Processor Contract.
Import ListNotations.
Open Scope Z_scope.

Lemma mod_word x : is_word (x mod radix).
Proof. apply Z.mod_pos_bound. reflexivity. Qed.

(** Whether a list has so many elements: it is not walked to its end, a section may be long. *)
Fixpoint reaches {A} (l : list A) (n : Z) : bool :=
  if n <=? 0 then true else match l with [] => false | _ :: l' => reaches l' (n - 1) end.

Lemma reaches_right {A} (l : list A) : forall n, reaches l n = true -> n <= Z.of_nat (length l).
Proof.
  induction l as [|x l IH]; cbn [reaches length]; intros n H;
    destruct (Z.leb_spec n 0); try lia; try discriminate.
  apply IH in H. lia.
Qed.

Module Make (P : Processor).
Include Contract.Make P.
Import P.

(** A word, an address, a number of which it is known when it is 0 (the [or] of words), or one of which
    some bits are known. *)
Inductive content :=
  | Known (w : word)
  | Pointer (a : area) (offset : Z)
  | AnyOf (l : list word)
  | Flags (l : list (Z * word)).

Definition as_word (k : content) : option word :=
  match k with Known w => Some w | Pointer _ _ | AnyOf _ | Flags _ => None end.

Definition is_area (a b : area) : bool := if area_eq_dec a b then true else false.

Section Kernel.
  Variable c : contract.
  Variable code : list Z.

  Definition is_inside (a : area) (offset size : Z) : bool :=
    match a with
    | Code => (0 <=? offset) && reaches code (offset + size)
    | _ => (fst (room c code a) <=? offset) && (offset + size <=? snd (room c code a))
    end.

  Fixpoint find (a : area) (offset : Z) (l : list (area * Z * content)) : option content :=
    match l with
    | [] => None
    | (b, o, k) :: l' => if is_area a b && (offset =? o) then Some k else find a offset l'
    end.

  Definition constant_at (offset : Z) : Z :=
    number (firstn 8 (skipn (Z.to_nat offset) code)).

  Definition may_write (a : area) (offset : Z) : bool :=
    is_inside a offset 8 && (offset mod 8 =? 0) &&
    (is_area a Result || is_area a Stack && ((offset + 8 <=? 0) || (link_size <=? offset))).

  (** z may lie on an operand: none can be read once z is written. *)
  Definition survives (a : area) (offset : Z) (cell : area * Z * content) : bool :=
    let '(b, o, _) := cell in
    (is_area b Result || is_area b Stack || is_area a Stack) &&
    negb (is_area a b && (offset =? o)).

  (** ** What it means *)

  Variable start : state.
  Hypothesis R : ready c code start.

  Let where_ := place c start.

  Definition denotes (s : system) (v : valuation) (k : content) (A : Z) : Prop :=
    match k with
    | Known w => means s v w A
    | Pointer a o => A = (where_ a + o) mod radix
    | AnyOf l => exists B, Forall2 (means s v) l B /\ Forall is_word B /\ (A = 0 <-> Forall (eq 0) B)
    | Flags l => forall k w, In (k, w) l -> means s v w (A / 2 ^ k mod 2)
    end.

  Definition cell_right (s : system) (v : valuation) (m : Z -> Z) (cell : area * Z * content) :=
    let '(a, o, k) := cell in
    inside c code a o 8 /\ o mod 8 = 0 /\ denotes s v k (load m (where_ a + o)).

  Lemma denotes_extends s v s' v' k A : extends s v s' v' -> denotes s v k A -> denotes s' v' k A.
  Proof.
    destruct k as [w|a o|l|l]; cbn; [apply means_extends | auto | | eauto using means_extends].
    intros E (B & M & W). exists B. split; [|exact W].
    clear W. induction M; constructor; eauto using means_extends.
  Qed.

  Lemma is_area_eq a b : is_area a b = true -> a = b.
  Proof. unfold is_area. destruct (area_eq_dec a b); auto; discriminate. Qed.

  Lemma is_inside_right a o n : is_inside a o n = true -> inside c code a o n.
  Proof.
    unfold is_inside, inside.
    destruct a; intros H; apply andb_prop in H as [H1 H2]; apply Z.leb_le in H1;
      try (split; [|apply Z.leb_le]; assumption).
    apply reaches_right in H2. cbn [room fst snd]. lia.
  Qed.

  Lemma inside_no_wrap a o n : inside c code a o n -> 0 < n ->
    (where_ a + o) mod radix = where_ a + o.
  Proof.
    intros [I1 I2] N. destruct (fits _ _ _ R a) as [F1 F2]; [lia|]. unfold where_ in *.
    apply Z.mod_small. lia.
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

  (** ** Memory less what may be written is as it was *)

  Definition kept (m : Z -> Z) : Prop :=
    forall a, ~ writable c code start a -> m a = memory start a.

  Lemma code_kept m i : kept m -> 0 <= i < Z.of_nat (length code) ->
    m (where_ Code + i) = memory start (where_ Code + i).
  Proof.
    intros S I. apply S.
    assert (within_area c code start Code (where_ Code + i)) as W.
    { unfold within_area, inside, where_. cbn [room fst snd]. lia. }
    intros [H|[H _]].
    - exact (result_apart _ _ _ R _ H W).
    - exact (stack_apart _ _ _ R Code ltac:(discriminate) _ W H).
  Qed.

  Lemma constant_right m o : kept m -> inside c code Code o 8 ->
    load m (where_ Code + o) = constant_at o.
  Proof.
    intros S [I1 I2]. cbn [room fst snd] in I1, I2. unfold load, constant_at. f_equal.
    replace (where_ Code + o) with (where_ Code + Z.of_nat (Z.to_nat o)) by lia.
    apply bytes_at_list; [lia|]. intros i B.
    rewrite code_kept by (assumption || lia).
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

  Lemma may_write_right a o : may_write a o = true ->
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

  (** ** A write *)

  Lemma store_kept m a o A : may_write a o = true -> kept m -> kept (store m (where_ a + o) A).
  Proof.
    intros W K x X. rewrite <- K by exact X. apply may_write_right in W as (_ & _ & _ & Own).
    apply store_other. destruct (Z_lt_dec x (where_ a + o)); [auto|].
    destruct (Z_le_dec (where_ a + o + 8) x); [auto|]. exfalso. apply X.
    replace x with (where_ a + o + (x - where_ a - o)) by lia. apply Own. lia.
  Qed.

  Lemma store_cells s v m l a o k A : may_write a o = true -> denotes s v k A -> is_word A ->
    (forall cell, In cell l -> cell_right s v m cell) ->
    forall cell, In cell ((a, o, k) :: filter (survives a o) l) ->
    cell_right s v (store m (where_ a + o) A) cell.
  Proof.
    intros E D W C cell I. apply may_write_right in E as (J & O & B & _). destruct I as [<-|I].
    - split; [exact J|]. split; [exact O|]. rewrite load_store by exact W. exact D.
    - apply filter_In in I as [I1 I2]. destruct cell as [[b p] q].
      destruct (C _ I1) as (K & P & Q). split; [exact K|]. split; [exact P|].
      rewrite load_store_other; [exact Q|]. eapply survives_right; eauto.
  Qed.

  Lemma find_right s v m l a o k : find a o l = Some k ->
    (forall cell, In cell l -> cell_right s v m cell) ->
    inside c code a o 8 /\ o mod 8 = 0 /\ denotes s v k (load m (where_ a + o)).
  Proof. intros F C. apply find_in in F. exact (C _ F). Qed.
End Kernel.
End Make.
