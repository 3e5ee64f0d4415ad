//! The program of a site with the games that ship. `tavoliere::page` says what JavaScript calls.

tavoliere::page!(tavoliere::shipped());
