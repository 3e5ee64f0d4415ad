"""Trains a policy for Connect Four by REINFORCE: it plays itself, and what the winner did gets likelier."""

import torch

import tavoliere

env = tavoliere.BatchEnv("connect_four", 256, seed=1)
planes, height, width, actions = env.sizes
torch.manual_seed(1)
policy = torch.nn.Sequential(
    torch.nn.Flatten(), torch.nn.Linear(planes * height * width, 128), torch.nn.ReLU(), torch.nn.Linear(128, actions)
)
optimizer = torch.optim.Adam(policy.parameters(), lr=3e-3)


def chances():
    """The policy's distribution over the legal actions of each game."""
    possible = torch.tensor(env.legal | env.finished[:, None])
    logits = policy(torch.tensor(env.observations))
    return torch.distributions.Categorical(logits=logits.masked_fill(~possible, -torch.inf))


for iteration in range(61):
    env.reset()  # Against random turns first, to see how good it is.
    while not env.finished.all():
        mine, random = chances().sample(), torch.tensor(env.random_actions())
        env.step(torch.where(torch.tensor(env.to_move) == 0, mine, random).numpy())
    if iteration % 10 == 0:
        print(f"iteration {iteration}: scores {(1 + env.rewards[:, 0].mean()) / 2:.0%} against random turns")
    env.reset()  # Against itself, to learn.
    turns = []
    while not env.finished.all():
        chosen, (mover, live) = chances(), (torch.tensor(env.to_move).long(), torch.tensor(~env.finished))
        action = chosen.sample()
        turns.append((chosen.log_prob(action) * live, mover))
        env.step(action.numpy())
    won = torch.tensor(env.rewards)
    loss = -sum((won.gather(1, mover[:, None])[:, 0] * chance).mean() for chance, mover in turns)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
