(** What the contracts need to know of a processor. *)

From Coq Require Import ZArith List.

Module Type Processor.
  Parameter register : Set.
  Parameter register_beq : register -> register -> bool.
  Parameter internal_register_dec_bl : forall a b, register_beq a b = true -> a = b.
  Parameter register_eq_dec : forall a b : register, {a = b} + {a <> b}.

  Parameter state : Type.
  Parameter registers : state -> register -> Z.
  Parameter memory : state -> Z -> Z.          (* a byte at each address *)
  Parameter here : state -> Z.                 (* where the next instruction lies *)
  Parameter trace : state -> list (Z * Z).     (* instructions and accesses *)

  Parameter stack_pointer : register.
  Parameter link_size : Z.                     (* bytes on the stack that hold where to return to *)
  Parameter return_address : state -> Z.       (* of a function that is entered *)
  Parameter aligned : state -> Prop.           (* where a function may be entered *)
End Processor.
