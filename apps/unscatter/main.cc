#include "program.h"

int main(int argc, char** argv) { return unscatter::cli::run_program(argc, argv); }
