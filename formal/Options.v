(** Steps that may fail, one after the other. *)

From Coq Require Import List.
Import ListNotations.

Definition bind {A B} (a : option A) (f : A -> option B) : option B :=
  match a with Some x => f x | None => None end.
Notation "x <- a ; b" := (bind a (fun x => b)) (at level 61, a at next level, right associativity).
Notation "' p <- a ; b" := (bind a (fun q => let 'p := q in b))
  (at level 61, p strict pattern, a at next level, right associativity).
Definition guard (b : bool) : option unit := if b then Some tt else None.

Ltac unbind H :=
  match type of H with
  | bind ?a _ = Some _ =>
      let E := fresh "E" in destruct a eqn:E; cbn [bind] in H; [|discriminate H]
  end.

Fixpoint traverse {A B} (f : A -> option B) (l : list A) : option (list B) :=
  match l with
  | [] => Some []
  | k :: l' => a <- f k; r <- traverse f l'; Some (a :: r)
  end.

Lemma traverse_right {A B} (f : A -> option B) l : forall r, traverse f l = Some r ->
  length r = length l /\
  forall k x, nth_error l k = Some x -> exists y, nth_error r k = Some y /\ f x = Some y.
Proof.
  induction l as [|x l IH]; cbn [traverse]; intros r T.
  - injection T as <-. split; [reflexivity|]. intros [|k] x; discriminate.
  - unbind T. unbind T. injection T as <-. destruct (IH _ eq_refl) as [L N].
    split; [cbn; now rewrite L|]. intros [|k] y; cbn [nth_error]; [|apply N].
    intros [= <-]. eauto.
Qed.
