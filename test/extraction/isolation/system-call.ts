/** A program that makes one system call, for attacks that Node has no API for. */
import { writeFileSync } from 'node:fs';

/**
 * x86-64, position-independent. Arguments: the call's number and up to six decimal numbers or texts; texts are passed
 * by address. Exits with 0 if the call succeeded, otherwise with errno.
 *
 *     mov r15,[rsp]; lea rbp,[rsp+16]                        argc, argv + 1
 *     sub rsp,64; mov rdi,rsp; mov ecx,8; xor eax,eax; rep stosq; xor r12d,r12d
 *     next:  lea rdx,[r12+1]; cmp rdx,r15; jae call
 *            mov rsi,[rbp+r12*8]; mov rbx,rsi                 an address, unless it begins with a digit
 *            movzx eax,byte [rsi]; sub eax,'0'; cmp eax,9; ja store; xor ebx,ebx
 *     digit: movzx eax,byte [rsi]; inc rsi; sub eax,'0'; cmp eax,9; ja store; imul rbx,rbx,10; add rbx,rax; jmp digit
 *     store: mov [rsp+r12*8],rbx; inc r12; jmp next
 *     call:  pop rax; pop rdi; pop rsi; pop rdx; pop r10; pop r8; pop r9; syscall
 *            xor edi,edi; test rax,rax; jns exit; sub rdi,rax
 *     exit:  mov eax,60; syscall
 */
const code = Buffer.from(
  '4c8b3c24488d6c24104883ec404889e7b90800000031c0f348ab4531e4498d5424014c39fa73354a8b74e5004889f30fb60683e830' +
    '83f809771931db0fb60648ffc683e83083f8097709486bdb0a4801c3ebe94a891ce449ffc4ebc1585f5e5a415a415841590f0531ff' +
    '4885c079034829c7b83c0000000f05',
  'hex',
);

const ADDRESS = 0x40_00_00n;
const HEADERS = 64 + 56;

/** Writes the program as an ELF file (elf(5)) of one readable and executable segment. */
export function writeSystemCallProgram(path: string): void {
  const headers = Buffer.alloc(HEADERS);
  const size = BigInt(HEADERS + code.length);
  headers.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1], 0);
  headers.writeUInt16LE(2, 16); // ET_EXEC
  headers.writeUInt16LE(62, 18); // EM_X86_64
  headers.writeUInt32LE(1, 20);
  headers.writeBigUInt64LE(ADDRESS + BigInt(HEADERS), 24); // entry
  headers.writeBigUInt64LE(64n, 32); // offset of the program header
  headers.writeUInt16LE(64, 52);
  headers.writeUInt16LE(56, 54);
  headers.writeUInt16LE(1, 56);
  headers.writeUInt32LE(1, 64); // PT_LOAD
  headers.writeUInt32LE(5, 68); // readable, executable
  headers.writeBigUInt64LE(ADDRESS, 80);
  headers.writeBigUInt64LE(ADDRESS, 88);
  headers.writeBigUInt64LE(size, 96);
  headers.writeBigUInt64LE(size, 104);
  headers.writeBigUInt64LE(0x1000n, 112);
  writeFileSync(path, Buffer.concat([headers, code]), { mode: 0o755 });
}
