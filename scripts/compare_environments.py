#!/usr/bin/env python3
"""Steps a second of batched environments from Python: this project's and pgx's, on the same CPU.

    cd python && pip install . && pip install pgx jax && cd ..
    scripts/compare_environments.py [GAME] [--batch 1024] [--seconds 5] [--rounds 5]

A step plays a random legal action in every game, with new observations, masks and rewards of all;
finished games begin anew. Both choose the actions themselves: this project's environment in Rust, pgx in
a function compiled by jax. `scan` is pgx at its best: 100 steps in one compiled loop, of which Python sees
the last only. The programs take turns; the table has the median and the range of the rounds. pgx has
connect_four and tic_tac_toe of this project's games.
"""

import argparse
import statistics
import time

PGX = {"connect_four": "connect_four", "tic_tac_toe": "tic_tac_toe"}


def ours(game, batch):
    """A function that plays a step, and the steps that a call is."""
    import tavoliere

    env = tavoliere.BatchEnv(game, batch, seed=1)

    def step():
        env.step(env.random_actions())
        env.reset_finished()
        return env.observations, env.legal, env.rewards

    return step, 1


def pgx_steps(game, batch, at_once):
    """The same by pgx, `at_once` steps a call."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(PGX[game])
    init, play = jax.vmap(env.init), jax.vmap(auto_reset(env.step, env.init))

    def one(carry, _):
        state, key = carry
        key, choice, fresh = jax.random.split(key, 3)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        action = jax.random.categorical(choice, logits, axis=-1)
        return (play(state, action, jax.random.split(fresh, batch)), key), None

    run = jax.jit(lambda carry: jax.lax.scan(one, carry, None, length=at_once)[0])
    key = jax.random.PRNGKey(1)
    kept = [(jax.jit(init)(jax.random.split(key, batch)), key)]

    def step():
        kept[0] = run(kept[0])
        state = kept[0][0]
        return jax.block_until_ready((state.observation, state.legal_action_mask, state.rewards))

    return step, at_once


def rate(step, at_once, batch, seconds):
    """Steps of single games a second."""
    step()
    calls, begun = 0, time.perf_counter()
    while time.perf_counter() - begun < seconds:
        step()
        calls += 1
    return calls * at_once * batch / (time.perf_counter() - begun)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("game", nargs="?", default="connect_four")
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    programs = {"tavoliere": ours(args.game, args.batch)}
    if args.game in PGX:
        programs["pgx"] = pgx_steps(args.game, args.batch, 1)
        programs["pgx, scan"] = pgx_steps(args.game, args.batch, 100)
    rates = {name: [] for name in programs}
    for _ in range(args.rounds):
        for name, (step, at_once) in programs.items():
            rates[name].append(rate(step, at_once, args.batch, args.seconds))
    print(f"{args.game}, batch {args.batch}, {args.rounds} rounds of {args.seconds} s: steps/s")
    for name, found in rates.items():
        median = statistics.median(found)
        share = statistics.median(rates["tavoliere"]) / median
        print(f"  {name:<10} {median:>12,.0f}  ({min(found):,.0f} to {max(found):,.0f})  {share:.2f}")


if __name__ == "__main__":
    main()
