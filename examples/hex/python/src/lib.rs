//! The package `tavoliere` of Python with Hex in the place of the games that ship.

tavoliere_python::module!(hex::games());
